package fact

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/aria"
)

// Snapshot is an observation of a page: an ARIA snapshot as Playwright writes it, a listing with elements in square
// brackets, or the plain text of a page. It is immutable and safe for concurrent use.
type Snapshot struct {
	nodes []node
	roles bool // the observation contains the roles of elements
	busy  bool // the page is still loading or nearly empty, so absence is no evidence
	part  bool // a part of the page was not read, so nothing is Broken

	answers map[string]answer // of programs that checked the page themselves, by the id of the expectation

	once sync.Once
	all  []pagePiece // see pieces
}

// node is an element or a line of text.
type node struct {
	line  int
	raw   string // the line
	role  string // an ARIA role; "" for plain text
	words string // its name or text
	typ   string // the type of an input field, "" if the observation does not contain it

	disabled bool
	set      bool   // checked or selected
	folded   folded // words in the form for comparison
}

// cutMark is a line that marks where an observation was cut.
const cutMark = "…"

// Limits on an observation. Content beyond the first two is not read.
const (
	maxLines = 4000
	maxLine  = 4000 // bytes
	leastOn  = 4    // nodes; on a page with fewer, absence is no evidence
)

// Read parses an observation. It accepts any text: a line that is not an element is text of the page. It reads at most
// 4,000 lines, and 4,000 bytes of each. On a page that was not read as a whole no expectation is Broken.
func Read(observation string) *Snapshot {
	p := &Snapshot{}
	n := 0
	for line := range strings.Lines(observation) {
		if n++; n > maxLines {
			p.part = true
			break
		}
		line = strings.TrimSpace(line)
		if line == cutMark {
			p.part = true
			continue
		}
		p.part = p.part || len(line) > maxLine
		p.add(n, strings.ToValidUTF8(firstBytes(line, maxLine), ""))
	}
	elements := 0
	for i := range p.nodes {
		p.nodes[i].folded = fold(p.nodes[i].words)
		if p.nodes[i].role != "" {
			elements++
		}
		if p.nodes[i].role == "progressbar" {
			p.busy = true
		}
	}
	p.roles = elements > 0
	p.busy = p.busy || len(p.nodes) < leastOn
	return p
}

func (p *Snapshot) add(n int, line string) {
	switch {
	case line == "":
	case strings.HasPrefix(line, "- "):
		p.aria(n, line)
	default:
		p.listed(n, line)
	}
}

// ariaLine is a line of an ARIA snapshot: role, name in double quotes or between slashes, attributes, and the text
// after the colon.
var ariaLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)(?::(?: (.*))?)?$`)
})

// aria reads a line of a snapshot. It skips properties such as /url, which are not page content.
func (p *Snapshot) aria(n int, line string) {
	rest := strings.TrimPrefix(line, "- ")
	if strings.HasPrefix(rest, "/") {
		p.answered(n, line, rest)
		return
	}
	if q := strings.TrimSuffix(rest, ":"); strings.HasPrefix(q, "'") && strings.HasSuffix(q, "'") && len(q) > 1 {
		rest = strings.ReplaceAll(q[1:len(q)-1], "''", "'")
	}
	m := ariaLine().FindStringSubmatch(rest)
	if m == nil {
		p.nodes = append(p.nodes, node{line: n, raw: line, words: rest})
		return
	}
	e := node{line: n, raw: line, role: m[1], words: unquoted(m[2])}
	if e.role == "text" || e.role == "paragraph" {
		e.role = ""
	}
	e.disabled = strings.Contains(m[3], "[disabled")
	e.set = strings.Contains(m[3], "[checked") || strings.Contains(m[3], "[selected")
	value := unquoted(strings.Trim(strings.TrimSpace(m[4]), `"`))
	if e.words == "" && !aria.Is(e.role, aria.Valued) {
		e.words, value = value, ""
	}
	if e.words != "" || e.role != "" {
		p.nodes = append(p.nodes, e)
	}
	if value != "" { // the text of a field or region that also has a name
		p.nodes = append(p.nodes, node{line: n, raw: line, words: value})
	}
}

func unquoted(s string) string { return unescape.Replace(s) }

var unescape = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// bracket is an element of a listing: [button disabled Save], [输入框 type=text 占位=邮箱].
var bracket = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\[\]\n]{1,200})\]`) })

// listed reads a line of text, and the elements in square brackets in it.
func (p *Snapshot) listed(n int, line string) {
	rest := line
	for _, m := range bracket().FindAllStringSubmatch(line, -1) {
		e, ok := element(m[1])
		if !ok {
			continue
		}
		e.line, e.raw = n, line
		p.nodes = append(p.nodes, e)
		rest = strings.Replace(rest, m[0], " ", 1)
	}
	rest = strings.TrimSpace(rest)
	e := node{line: n, raw: line, words: rest}
	if h := strings.TrimLeft(rest, "#"); h != rest && strings.HasPrefix(h, " ") && len(rest)-len(h) <= 6 {
		e.role, e.words = "heading", strings.TrimSpace(h)
	}
	if e.words != "" {
		p.nodes = append(p.nodes, e)
	}
}

// element reads the content of square brackets: a term for a role, then states and attributes, then the name.
func element(s string) (node, bool) {
	f := strings.Fields(s)
	role, ok := roleWord(f[0:min(1, len(f))])
	if !ok {
		return node{}, false
	}
	e := node{role: role}
	var name []string
	for _, w := range f[1:] {
		k, v, assigned := strings.Cut(w, "=")
		switch {
		case assigned && (k == "disabled" || k == "aria-disabled"):
			e.disabled = strings.Trim(v, `"'`) != "false"
		case assigned && k == "type":
			if inputType(v) {
				e.typ = strings.ToLower(v)
			}
		case assigned:
			name = append(name, v)
		case isDisabled(w):
			e.disabled = true
		case w == "checked" || w == "selected" || w == "已选" || w == "选中":
			e.set = true
		case w == "unchecked" || w == "未选":
		default:
			name = append(name, w)
		}
	}
	e.words = strings.Join(name, " ")
	return e, true
}

func firstBytes(s string, n int) string { return s[:min(len(s), n)] }
