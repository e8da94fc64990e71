package main

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed texts/zh.po
var chineseFile string

// chinese returns the Chinese of each sentence by its English. It reads the file only when
// it is first called, so that a command in English does not wait for it.
var chinese = sync.OnceValue(func() map[string]string {
	texts, err := readTexts(chineseFile)
	if err != nil {
		panic("texts/zh.po, " + err.Error()) // the file is a part of the program, and a test reads it
	}
	return texts
})

// readTexts reads a translation in the PO format of gettext: msgid is the English, msgstr
// the translation, and a line that holds only a quoted text continues the text above it. An
// entry with an empty msgid is the header, which other programs need and this one skips.
// readTexts refuses plural forms, contexts and everything else that the format knows.
func readTexts(po string) (map[string]string, error) {
	texts := make(map[string]string, strings.Count(po, "\nmsgid "))
	var entry []string // the texts of the entry so far: msgid, msgstr
	number := 0
	for line := range strings.Lines(po + "\nmsgid \"\"") { // the empty msgid ends the last entry
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.IndexByte(line, '"')
		said, err := strconv.Unquote(line[max(at, 0):])
		if at < 0 || err != nil {
			return nil, fmt.Errorf("line %d: %q is no text in quotation marks", number, line)
		}
		switch word := strings.TrimSpace(line[:at]); {
		case word == "" && len(entry) > 0:
			entry[len(entry)-1] += said
		case word == "msgstr" && len(entry) == 1:
			entry = append(entry, said)
		case word == "msgid" && len(entry) != 1:
			if err := keep(texts, entry); err != nil {
				return nil, fmt.Errorf("above line %d: %w", number, err)
			}
			entry = append(entry[:0], said)
		default:
			return nil, fmt.Errorf("line %d: a msgid and then a msgstr make an entry, not %q", number, line)
		}
	}
	return texts, nil
}

// keep adds a complete entry.
func keep(texts map[string]string, entry []string) error {
	if len(entry) == 0 || entry[0] == "" {
		return nil // no entry was read yet, or it was the header
	}
	english, other := entry[0], entry[1]
	if _, twice := texts[english]; twice {
		return fmt.Errorf("%q stands there twice", english)
	}
	if other == "" {
		return fmt.Errorf("%q has no translation", english)
	}
	texts[english] = other
	return nil
}
