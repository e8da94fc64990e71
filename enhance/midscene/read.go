package midscene

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Read parses the script src and removes the text that Write added to it before. name is the file's name for errors,
// which are of type *ScriptError.
func Read(name string, src []byte) (*YAMLScript, error) {
	switch {
	case len(src) > MaxScript:
		return nil, &ScriptError{File: name, Problem: fmt.Sprintf("is longer than %d bytes, which is the most", MaxScript)}
	case !utf8.Valid(src):
		return nil, &ScriptError{File: name, Problem: "is not UTF-8; save it as UTF-8"}
	}
	s := &YAMLScript{}
	src, s.bom = bytes.CutPrefix(src, []byte(byteOrderMark))
	found, err := look(name, src)
	if err != nil {
		return nil, err
	}
	plain, err := found.takeOut()
	if err != nil {
		return nil, err
	}
	s.scriptSurvey = *found
	if !bytes.Equal(plain, src) {
		if found, err = look(name, plain); err != nil {
			return nil, err
		}
		for i := range found.steps { // they are reported by the lines of the file that people see
			found.steps[i].Line = s.steps[i].Line
		}
		s.scriptSurvey = *found
	}
	s.Steps = slices.Clone(s.steps)
	return s, nil
}

// byteOrderMark is written before a text by some editors.
const byteOrderMark = "\ufeff"

// Plain returns the bytes of the script without the text that Write added.
func (s *YAMLScript) Plain() []byte { return s.whole(s.src) }

// whole returns a script in the form of its file.
func (s *YAMLScript) whole(src []byte) []byte {
	if s.bom {
		return append([]byte(byteOrderMark), src...)
	}
	return bytes.Clone(src)
}

// takeOut returns the script without the text that Write added.
func (v *scriptSurvey) takeOut() ([]byte, error) {
	out := bytes.Clone(v.src)
	for i := len(v.steps) - 1; i >= 0; i-- {
		st := &v.steps[i]
		if st.own == nil {
			continue
		}
		at := st.own.first
		l := &v.lines[at]
		m, ok := readMark(string(v.src[st.own.start:l.end]))
		if !ok {
			continue
		}
		if !v.untouched(st, at, m) {
			return nil, &ScriptError{v.name, at + 1, st.Field + "." + contextKey,
				"was changed by hand since memtree enhance wrote it; take the comment that begins with " +
					strings.TrimSpace(markWords) + " out to keep it as your own, or bring the file back"}
		}
		last := v.lines[at+m.lines]
		switch {
		case m.was != nil:
			out = slices.Concat(out[:st.own.start], []byte(*m.was), out[last.end:])
		case last.end == last.next && at > 0: // it ends the file, and Write added the line break before it
			out = slices.Concat(out[:v.lines[at-1].end], out[last.next:])
		default:
			out = slices.Concat(out[:l.start], out[last.next:])
		}
	}
	return out, nil
}

// untouched reports whether a context is exactly as Write wrote it.
func (v *scriptSurvey) untouched(st *aiStep, at int, m contextMark) bool {
	if m.lines > len(v.lines)-1-at || st.own.last != at+m.lines {
		return false
	}
	var more []string
	for _, l := range v.lines[at+1 : at+1+m.lines] {
		more = append(more, l.text)
	}
	if m.was == nil && strings.TrimLeft(v.lines[at].text[:st.col], " ") != "" {
		return false // it was moved to the beginning of the step
	}
	return hash(m.first, more) == m.sum
}

// Recognise reports whether a file that begins with begin may be a Midscene script: it has the key tasks, and is not
// JSON.
func Recognise(begin []byte) bool {
	b := bytes.TrimLeft(bytes.TrimPrefix(begin, []byte(byteOrderMark)), " \t\r\n")
	return len(b) > 0 && !bytes.ContainsAny(b[:1], "{[<") &&
		(bytes.HasPrefix(b, []byte("tasks:")) || bytes.Contains(b, []byte("\ntasks:")))
}
