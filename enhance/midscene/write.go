package midscene

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memtree/memtree/enhance"
)

// Write returns the script with guidance in the contexts of Steps: told[i] is the guidance for Steps[i], "" for none.
// It adds nothing to a step whose field Left is set, and changes nothing else in the script. If that is impossible, it
// returns a *ScriptError.
func (s *YAMLScript) Write(told []string) ([]byte, error) {
	out := bytes.Clone(s.src)
	contexts := map[int]string{}
	for i := min(len(s.steps), len(told)) - 1; i >= 0; i-- {
		st := &s.steps[i]
		if told[i] == "" || st.Left != "" {
			continue
		}
		contexts[i] = enhance.Join(st.Own, told[i])
		first, more := value(st.Own, told[i], st.col)
		if st.own != nil {
			out = s.replace(out, st.own, first, more)
		} else {
			out = s.insert(out, st, first, more)
		}
	}
	if !s.holds(out, contexts) {
		return nil, &ScriptError{File: s.name,
			Problem: "cannot be written into without changing more than the context of steps; " +
				"write its steps in the usual way, each key on a line of its own"}
	}
	return s.whole(out), nil
}

// replace writes a value in the place of a step's own context.
func (s *YAMLScript) replace(out []byte, own *scriptSpan, first string, more []string) []byte {
	end := s.lines[own.last].end
	was := string(s.src[own.start:end])
	return slices.Concat(out[:own.start], []byte(" "+first+marked(first, more, &was)+s.tail(more)), out[end:])
}

// insert writes a context after the prompt of a step.
func (s *YAMLScript) insert(out []byte, st *aiStep, first string, more []string) []byte {
	rest, _, _ := s.lines[st.at].keyed(st.col, st.key)
	last := s.lines[valueEnd(s.lines, st.at, st.col, rest)]
	text := strings.Repeat(" ", st.col) + contextKey + ": " + first + marked(first, more, nil) + s.tail(more)
	if last.end == last.next { // the file ends without a line break
		return slices.Concat(out[:last.end], []byte(s.eol()+text), out[last.end:])
	}
	return slices.Concat(out[:last.next], []byte(text+s.eol()), out[last.next:])
}

// tail are the further lines of a value.
func (s *YAMLScript) tail(more []string) string {
	var b strings.Builder
	for _, l := range more {
		b.WriteString(s.eol() + l)
	}
	return b.String()
}

// holds reports whether a written script is correct: the contexts of some steps are these, the rest is unchanged, and
// the script can be restored byte for byte.
func (s *YAMLScript) holds(out []byte, contexts map[int]string) bool {
	now, err := look(s.name, out)
	if err != nil || len(now.steps) != len(s.steps) {
		return false
	}
	found := map[int]string{}
	for i := range contexts {
		found[i] = now.steps[i].Own
	}
	if now.shaped(found) != s.shaped(contexts) {
		return false
	}
	back, err := now.takeOut()
	return err == nil && bytes.Equal(back, s.src)
}
