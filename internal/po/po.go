// Package po reads translations in the PO format, and contains the Chinese texts of packages that print nothing.
package po

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Library is the translation of the texts of packages that print nothing themselves, such as the reason why a memory
// was taken.
//
//go:embed library.po
var Library string

// Read returns the texts of a translation in the PO format of gettext, English to Chinese: msgid is the English text,
// msgstr the translation, and a line that holds only a quoted text continues the text above it. It skips an entry with
// an empty msgid, which is the header, and every line that begins with #: a fuzzy entry is read like any other. It
// returns an error for plural forms, contexts, an empty translation and a repeated msgid.
func Read(po string) (map[string]string, error) {
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
