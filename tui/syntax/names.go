package syntax

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// relatives are languages that the library doesn't know, or takes for others,
// by a fence's word, a file's extension or its name, and what is like them.
var relatives = map[string]string{
	"jsonc": "json", "json5": "json", "jsonl": "json", "ndjson": "json", "hujson": "json",
	"mdx": "md", "less": "css", "gql": "graphql", "kts": "kotlin", "plist": "xml", "m": "objc",
	"shellsession": "console", "terminal": "console",
	"go.mod": "go", "go.work": "go", "gomod": "go",
	"Containerfile": "docker", "Jenkinsfile": "groovy", ".prettierrc": "json", ".swcrc": "json",
}

func (p *Painter) language(name string) *lexer {
	if like, ok := relatives[name]; ok {
		name = like
	}
	if name == "" || len(name) >= 30 {
		return nil
	}
	return p.find(name, func() chroma.Lexer { return lexers.Get(name) })
}

// file finds the lexer for the name of a file.
func (p *Painter) file(name string) *lexer {
	name = path.Base(name)
	ext := path.Ext(name)
	for _, word := range []string{name, strings.TrimPrefix(ext, ".")} {
		if like, ok := relatives[word]; ok {
			return p.language(like)
		}
	}
	if !named(name) {
		name = "x" + ext // which all names of its kind share
	}
	return p.find("/"+name, func() chroma.Lexer { return lexers.Match(name) })
}

// patterns are those of file names that say more than an extension does.
var patterns = sync.OnceValue(func() (globs []string) {
	for _, l := range lexers.GlobalLexerRegistry.Lexers {
		for _, glob := range slices.Concat(l.Config().Filenames, l.Config().AliasFilenames) {
			if ext, ok := strings.CutPrefix(glob, "*."); !ok || strings.Contains(ext, ".") {
				globs = append(globs, glob)
			}
		}
	}
	return globs
})

// named reports whether a file's language depends on more than its extension.
func named(name string) bool {
	return slices.ContainsFunc(patterns(), func(glob string) bool {
		ok, err := path.Match(glob, name)
		return ok && err == nil
	})
}

// keptLexers bounds what is remembered: names are foreign.
const keptLexers = 200

// find finds a lexer once. A search for one that isn't there is slow, so that
// is remembered too.
func (p *Painter) find(key string, search func() chroma.Lexer) *lexer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.lexers[key]; ok {
		return l
	}
	if len(p.lexers) > keptLexers {
		clear(p.lexers)
	}
	p.lexers[key] = nil
	if found := search(); found != nil {
		p.lexers[key] = p.shared(found)
		// Its rules are compiled with its first text, which is no part of the work.
		_, _ = found.Tokenise(nil, "")
	}
	return p.lexers[key]
}

// shared is the lexer that other names have led to as well, so that all of them
// know when it is too slow.
func (p *Painter) shared(found chroma.Lexer) *lexer {
	for _, l := range p.lexers {
		if l != nil && l.Lexer == found {
			return l
		}
	}
	return &lexer{Lexer: found}
}
