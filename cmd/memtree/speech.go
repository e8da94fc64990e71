package main

import (
	"fmt"
	"maps"
	"strings"
)

// speech is the language an invocation prints in. English is written where it
// is said; chinese.go has the other half.
type speech struct {
	lang    string            // zh or en
	badLang string            // what --lang said, when that is neither
	words   map[string]string // nil for English
}

// say returns a sentence in the language of the user.
func (s *speech) say(english string, args ...any) string {
	if other, ok := s.words[english]; ok {
		english = other
	}
	if len(args) == 0 {
		return english
	}
	return fmt.Sprintf(english, args...)
}

// speechFor finds the language before flags are parsed, because help is
// printed in it too.
func speechFor(args []string, getenv func(string) string) speech {
	s := speech{lang: localeLang(getenv)}
	for i, arg := range args {
		value, ok := strings.CutPrefix(arg, "--lang=")
		if arg == "--lang" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if arg == "--" {
			break
		}
		switch {
		case !ok:
		case value == "zh", value == "en":
			s.lang, s.badLang = value, ""
		default:
			s.badLang = value
		}
	}
	if s.lang == "zh" {
		s.words = chinese()
		maps.Copy(s.words, chineseReasons())
		maps.Copy(s.words, chineseStore())
		maps.Copy(s.words, chineseTransfer())
		maps.Copy(s.words, chineseEvolution())
		maps.Copy(s.words, chineseRemarks())
	}
	return s
}

// localeLang reads the locale as POSIX ranks its variables.
func localeLang(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if strings.HasPrefix(strings.ToLower(v), "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}
