package main

import (
	"fmt"
	"strings"
)

// speech is the language of an invocation. The English texts are in the code, the Chinese ones in texts/zh.po.
type speech struct {
	lang    string            // zh or en
	badLang string            // an invalid value of --lang
	words   map[string]string // nil for English
}

// say returns a sentence in the language of the user. The English is a literal, so that a test finds it; sentences of
// other packages go through because.
func (s *speech) say(english string, args ...any) string { return s.tell(english, args) }

func (s *speech) tell(sentence string, args []any) string {
	if other, ok := s.words[sentence]; ok {
		sentence = other
	}
	if len(args) == 0 {
		return sentence
	}
	return fmt.Sprintf(sentence, args...)
}

// speechFor finds the language before the flags are parsed, because help needs it too.
func speechFor(args []string, getenv func(string) string) speech {
	s := speech{lang: localeLang(getenv)}
	if set := getenv("MEMTREE_LANG"); set == "zh" || set == "en" {
		s.lang = set
	} else {
		s.badLang = set
	}
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
	}
	return s
}

// localeLang reads the language from the locale. POSIX defines the order of the variables.
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
