package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// Sniff is how many bytes of the beginning of a file Recognise needs.
const Sniff = 64 << 10

// Recognise returns the format of the report whose file begins with begin, or "" if it is none that it knows, such as a
// file of memtree's own runs. It looks for features that only files of the format have, and returns neither UIBench nor
// Map.
func Recognise(begin []byte) Format {
	b := bytes.TrimPrefix(begin, []byte("\xef\xbb\xbf"))
	t := bytes.TrimLeft(b, " \t\r\n")
	switch {
	case len(t) == 0:
		return ""
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return zipped(b)
	case t[0] == '<':
		return markup(t)
	case t[0] == '{', t[0] == '[':
		if f := known(keys(t)); f != "" || !isSummary(t) {
			return f
		}
		return Midscene
	}
	if isTable(b) {
		return CSV
	}
	return ""
}

// zipped returns the format of a zip by the names of its first files.
func zipped(b []byte) Format {
	switch {
	case bytes.Contains(b, []byte("xl/")), bytes.Contains(b, []byte("[Content_Types].xml")):
		return CSV
	case bytes.Contains(b, []byte("_journal/start.json")):
		return Inspect
	case bytes.Contains(b, []byte("-result.json")):
		return Allure
	}
	return ""
}

// markup returns the format of XML or HTML by its first elements.
func markup(b []byte) Format {
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 || i+1 >= len(b) {
			return ""
		}
		b = b[i+1:]
		switch {
		case b[0] == '?' || b[0] == '!':
		case bytes.HasPrefix(b, []byte("testsuite")):
			return JUnit
		case bytes.Contains(b, []byte("Midscene")):
			return Midscene
		default:
			return ""
		}
	}
}

// known returns the format of an object, or an array of objects, by its names.
func known(has map[string]bool) Format {
	all := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !has[n] })
	}
	switch {
	case has["prompt"] && (has["judgment"] || has["verdict"]):
		return ""
	case all("config", "suites"):
		return Playwright
	case all("uuid", "status", "stage"), all("uuid", "status", "historyId"):
		return Allure
	case all("created", "exitcode", "tests"), all("created", "exitcode", "environment"):
		return Pytest
	case all("version", "status", "eval"):
		return Inspect
	case all("testCases", "metricsScores"):
		return DeepEval
	case all("groupName", "executions"), all("kind", "runId", "startedAt"):
		return Midscene
	case all("evalId", "results"):
		return Promptfoo
	}
	return ""
}

// isSummary reports whether an object is the summary of Midscene's runner.
func isSummary(b []byte) bool {
	has := keys(b)
	return b[0] == '{' && has["summary"] && has["results"] && bytes.Contains(b, []byte(`"totalDuration"`)) &&
		bytes.Contains(b, []byte(`"script"`))
}

// keys returns the names in the first object of JSON that may be cut off.
func keys(b []byte) map[string]bool {
	out := map[string]bool{}
	depth, inner := 0, 1
	if b[0] == '[' {
		inner = 2
	}
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < inner {
				return out
			}
		case '"':
			end := i + 1
			for end < len(b) && b[end] != '"' {
				if b[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(b) {
				return out
			}
			after := bytes.TrimLeft(b[end+1:], " \t\r\n")
			if depth == inner && len(after) > 0 && after[0] == ':' {
				out[string(b[i+1:end])] = true
			}
			i = end
		}
	}
	return out
}

// isTable reports whether the first line has a column for the prompt and another one.
func isTable(b []byte) bool {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		b, _ = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(b[:len(b)&^1])
	case bytes.IndexByte(b, 0) >= 0:
		return false
	}
	line, rest, _ := bytes.Cut(b, []byte("\n"))
	if bytes.HasPrefix(bytes.ToLower(line), []byte("sep=")) {
		line, _, _ = bytes.Cut(rest, []byte("\n"))
	}
	if !utf8.Valid(line) {
		line, _ = simplifiedchinese.GB18030.NewDecoder().Bytes(line)
	}
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma = separator(line)
	cells, err := r.Read()
	return err == nil && len(cells) > 1 && slices.ContainsFunc(cells, func(c string) bool {
		return columnField(strings.TrimSpace(c)) == "prompt"
	})
}
