package main

import (
	_ "embed"
	"sync"

	"github.com/memtree/memtree/internal/po"
)

//go:embed texts/zh.po
var chineseFile string

// chinese returns the Chinese of each sentence by its English. It reads the file on first use, so that a command in
// English does not wait for it.
var chinese = sync.OnceValue(func() map[string]string {
	texts, err := po.Read(chineseTexts())
	if err != nil {
		panic("texts/zh.po, " + err.Error()) // the file is embedded, and a test reads it
	}
	return texts
})

// chineseTexts returns the entries of the command and of the libraries.
func chineseTexts() string { return chineseFile + "\n" + po.Library }
