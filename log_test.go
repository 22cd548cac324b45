package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/redact"
)

func TestLog(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "logs")
	path := filepath.Join(folder, "hoopoe.log")
	secrets := redact.New()
	log := newLog(folder, secrets)
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made before there was anything to write")
	}
	secrets.Add("topsecret-value")
	log.Error("failed", "header", "topsecret-value")
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "topsecret") || !strings.Contains(string(data), "failed") {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Truncate(path, maxLog+1); err != nil {
		t.Fatal(err)
	}
	newLog(folder, secrets).Error("again")
	if info, err := os.Stat(path); err != nil || info.Size() > 1000 {
		t.Errorf("the log was not begun anew: %v", err)
	}
	newLog("", secrets).Error("nowhere")
}
