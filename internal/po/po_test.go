package po

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextsAreReadStrictly(t *testing.T) {
	texts, err := Read("# a remark\nmsgid \"\"\nmsgstr \"\"\n\"Language: zh\\n\"\n\n" +
		"msgid \"\"\n\"a\\n\"\n\"b\"\r\nmsgstr \"c \"\n\"\\\"d\\\"\"\nmsgid \"e\"\nmsgstr \"f\"")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a\nb": `c "d"`, "e": "f"}, texts)
	for file, want := range map[string]string{
		"msgid \"a\"\nmsgid \"b\"": `line 2: a msgid and then a msgstr make an entry, not "msgid \"b\""`,
		"msgid \"a\"\n":            `line 3: a msgid and then a msgstr make an entry`,
		"msgstr \"a\"":             `line 1: a msgid and then a msgstr make an entry`,
		"\"a\"":                    `line 1: a msgid and then a msgstr make an entry`,
		"msgctxt \"a\"":            `line 1: a msgid and then a msgstr make an entry`,
		"msgid a":                  `line 1: "msgid a" is no text in quotation marks`,
		"msgid \"a":                `line 1: "msgid \"a" is no text in quotation marks`,
		"msgid \"a\"\nmsgstr \"\"": `above line 3: "a" has no translation`,
		"msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"\nmsgid \"d\"": `above line 5: "a" stands there twice`,
	} {
		_, err := Read(file)
		require.ErrorContains(t, err, want, file)
	}
}
