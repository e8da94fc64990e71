package main

import (
	_ "embed"
	"sync"

	"github.com/memtree/memtree/internal/po"
)

//go:embed texts/zh.po
var chineseFile string

// chinese returns the Chinese of each sentence by its English. It reads the file only when
// it is first called, so that a command in English does not wait for it.
var chinese = sync.OnceValue(func() map[string]string {
	texts, err := po.Read(chineseTexts())
	if err != nil {
		panic("texts/zh.po, " + err.Error()) // the file is a part of the program, and a test reads it
	}
	return texts
})

// chineseTexts is the file and what libraries say.
func chineseTexts() string { return chineseFile + "\n" + po.Library }
