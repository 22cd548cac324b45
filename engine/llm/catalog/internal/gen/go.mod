module github.com/hoopoe-agent/hoopoe/engine/llm/catalog/internal/gen

go 1.26.7

require charm.land/catwalk v0.52.1

require github.com/charmbracelet/x/etag v0.2.0 // indirect
