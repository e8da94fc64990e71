package appmap

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/embed"
	"github.com/memtree/memtree/internal/text"
)

// MostFound is how many selectors Find returns at most.
const MostFound = 50

// Query asks for selectors.
type Query struct {
	Text    string  // what is looked for, such as "the submit button of the login form"
	Product string  // "" where there is one product alone
	Page    string  // an address or a route; "": all pages
	Do      string  // click, fill, …; "": any
	Least   float64 // trust; 0: .7, less than 0: all, also of elements that nobody has acted on
	Limit   int     // 0: 5
}

// Found is a selector that fits a query, or an element without one.
type Found struct {
	Page     string  `json:"page"`
	Role     string  `json:"role,omitempty"`
	Name     string  `json:"name,omitempty"`
	Do       string  `json:"do,omitempty"`
	Selector string  `json:"selector"` // in the form of Playwright for an element that nobody has acted on
	Trust    float64 `json:"trust"`    // see the package comment; 0 for one that nobody has tried
	Tried    int     `json:"tried"`
	Worked   int     `json:"worked"`
	Mean     int     `json:"meanMs,omitempty"` // of the last 20 successes
	P90      int     `json:"p90Ms,omitempty"`
	Build    string  `json:"build,omitempty"` // the last on which it worked
	Score    float64 `json:"score"`           // how well it fits, 0 to 1
}

// Find returns the selectors that fit a query, the best first. Of several for one action on one element it returns the
// most trusted, Playwright's own form first among equals.
func (m *Map) Find(q Query) []Found {
	p := m.product(q.Product)
	if p == nil {
		return nil
	}
	least := q.Least
	switch {
	case least == 0:
		least = leastTrust
	case least < 0:
		least = 0
	}
	ask := p.vocabulary().ask(q.Text)
	name := m.nameOf(p)
	var among map[Thing]bool // on a large map, the elements whose other names are compared
	if ask.among != nil {
		among = m.names.having(ask.terms)
	}
	of := ""
	if q.Page != "" {
		of = p.place(PageOf(q.Page))
	}
	best := map[[4]string]Found{}
	offer := func(f Found) {
		if f.Trust < least {
			return
		}
		key := [4]string{f.Page, f.Do, f.Role, f.Name}
		if f.Role == "" && f.Name == "" {
			key[3] = f.Selector
		}
		if have, ok := best[key]; ok && !better(&f, &have) {
			return
		}
		best[key] = f
	}
	for route, g := range p.pages {
		if of != "" && route != of {
			continue
		}
		about := ask.on(route, g.Title+" "+g.headings())
		others := func(role, called string) ([]string, bool) {
			t := Thing{name, route, role, called}
			list, read := m.names.Of(t)
			if ask.among != nil && !among[t] {
				list = nil
			}
			return list, read
		}
		for key, r := range g.patterns {
			if q.Do != "" && !strings.EqualFold(q.Do, key.Do) {
				continue
			}
			f := Found{
				Page: route, Role: key.Role, Name: key.Name, Do: key.Do, Selector: key.Selector,
				Trust: r.trust(), Tried: r.Tried, Worked: r.Worked, Build: r.Build,
			}
			f.Mean, f.P90 = r.times()
			f.Score = about.score(others, elementKey{key.Role, key.Name, ""}, key.Do, key.Selector)
			offer(f)
		}
		if q.Least >= 0 || q.Do != "" {
			continue
		}
		for key := range g.elements {
			if score := about.score(others, key, "", ""); score >= leastScore {
				offer(Found{
					Page: route, Role: key.Role, Name: key.Name, Selector: playwright(key.Role, key.Name), Score: score,
				})
			}
		}
	}
	out := make([]Found, 0, len(best))
	for _, f := range best {
		if f.Score >= leastScore {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Trust, a.Trust), cmp.Compare(a.Page, b.Page),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Do, b.Do),
			cmp.Compare(a.Selector, b.Selector))
	})
	return out[:min(len(out), cmp.Or(min(max(q.Limit, 0), MostFound), 5))]
}

// better reports whether a is to be given in place of b, which is for the same action on the same element.
func better(a, b *Found) bool {
	return cmp.Or(cmp.Compare(a.Trust, b.Trust), cmp.Compare(form(a.Selector), form(b.Selector)),
		cmp.Compare(b.Selector, a.Selector)) > 0
}

// form ranks forms of selectors: those by what a user sees hold longest.
func form(selector string) int {
	for i, mark := range []string{"getByRole", "getByLabel", "getByTestId", "getByText", "getBy", "data-test"} {
		if strings.Contains(selector, mark) {
			return 10 - i
		}
	}
	if strings.HasPrefix(selector, "/") || strings.HasPrefix(selector, "xpath=") {
		return 0
	}
	return 1
}

// playwright returns the selector of Playwright for a role and an accessible name.
func playwright(role, name string) string {
	switch {
	case role == "":
		return "page.getByText(" + quoted(name) + ")"
	case name == "":
		return "page.getByRole(" + quoted(role) + ")"
	default:
		return "page.getByRole(" + quoted(role) + ", { name: " + quoted(name) + " })"
	}
}

// The parts of a score. They sum to 1 with a perfect fit of all.
const (
	leastScore = 0.25
	ofName     = 0.62 // how alike the name of the element is to what is asked
	ofKind     = 0.16 // whether its role or action is asked for
	ofPage     = 0.22 // how alike its page is
	ofPart     = 0.9  // of a likeness with a part of the question alone
	leastNamed = 0.6  // of a likeness with some name, for an element that a reader has named
	ofStill    = 0.5  // what is left for an element that one cannot act on, unless its role is asked for
)

// product returns the map of a product, of the only one where there is one alone.
func (m *Map) product(name string) *product {
	if p := m.products[name]; p != nil || name != "" || len(m.products) != 1 {
		return p
	}
	for _, p := range m.products {
		return p
	}
	return nil
}

// roles are what people call the roles of ARIA, in both languages.
var roles = map[string]string{
	"button": "button 按钮", "link": "link 链接", "textbox": "field input box text area 输入框 文本框",
	"searchbox": "search field box 搜索框", "checkbox": "checkbox tick box 复选框 勾选", "radio": "radio option 单选",
	"combobox": "dropdown select list 下拉框 选择框", "option": "option choice 选项", "listbox": "list 列表",
	"switch": "switch toggle 开关", "slider": "slider 滑块", "spinbutton": "number field stepper 数字框",
	"tab": "tab 标签页 选项卡", "tablist": "tabs 标签页", "menu": "menu 菜单", "menuitem": "menu item 菜单项",
	"dialog":       "dialog modal popup 对话框 弹窗",
	"columnheader": "column header sort 列 表头 列标题 排序",
	"rowheader":    "row header 行 表头", "gridcell": "cell day date 单元格 日期", "treeitem": "tree item node 树 节点",
	"menuitemcheckbox": "menu item 菜单项", "menuitemradio": "menu item 菜单项",
	"alert": "alert message 提示", "heading": "heading title 标题",
	"img": "image picture icon 图片 图标", "table": "table 表格", "row": "row 行", "cell": "cell 单元格",
	"navigation": "navigation 导航", "form": "form 表单", "progressbar": "progress bar 进度条", "tooltip": "tooltip 提示",
}

// icons are what people call elements that are named by a sign alone, in both languages.
var icons = map[string]string{
	"+": "increase add more plus 增加 加一", "-": "decrease reduce less minus 减少 减一",
	"−": "decrease reduce less minus 减少 减一", "×": "close remove delete 关闭 删除", "✕": "close remove delete 关闭 删除",
	"‹": "previous back earlier 上一个 往前", "<": "previous back earlier 上一个 往前", "←": "back previous 返回 上一个",
	"›": "next forward later 下一个 往后", ">": "next forward later 下一个 往后", "→": "next forward 下一个 前进",
	"☰": "menu 菜单", "⋮": "more options menu 更多 菜单", "…": "more 更多", "⚙": "settings 设置", "🔍": "search 搜索",
}

// headings returns the names of a page's headings: what the page is about, in the language of the application.
func (g *page) headings() string {
	var names []string
	for key := range g.elements {
		if key.Role == "heading" {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(len(names), mostHeadings)], " ")
}

// mostHeadings is how many headings of a page are compared.
const mostHeadings = 8

// doings are what people call the actions of test tools.
var doings = map[string]string{
	"click": "click press tap push 点击 按", "fill": "fill type enter input write 填写 输入", "type": "type enter 输入",
	"check": "check tick 勾选", "uncheck": "uncheck untick 取消勾选", "selectOption": "select choose pick 选择",
	"select": "select choose pick 选择", "hover": "hover 悬停", "press": "press key 按键", "goto": "open go visit 打开",
	"dblclick": "double click 双击", "setInputFiles": "upload file 上传",
}

// vocabulary is how words of a map are compared.
type vocabulary struct {
	table *embed.Table
	seen  map[string]float64  // in how many names a term is
	names map[string][]string // with a term; nil for a map with few names
	all   float64
}

// vocabulary returns the words of a product, computed once after each change.
func (p *product) vocabulary() *vocabulary {
	if v := p.words.Load(); v != nil {
		return v
	}
	v := &vocabulary{seen: map[string]float64{}}
	v.table, _ = embed.Default() // without it words alone count
	many := 0
	for _, g := range p.pages {
		many += len(g.elements)
	}
	if many > mostNamed {
		v.names = map[string][]string{}
	}
	for _, g := range p.pages {
		for key := range g.elements {
			v.count(key.Name)
		}
	}
	for _, names := range v.names {
		slices.Sort(names) // elements come from a map
	}
	p.words.Store(v)
	return v
}

func (v *vocabulary) count(name string) {
	if name == "" {
		return
	}
	v.all++
	for _, t := range slices.Compact(slices.Sorted(slices.Values(text.Tokens(name)))) {
		v.seen[strings.Clone(t)]++
		if v.names != nil {
			v.names[strings.Clone(t)] = append(v.names[t], name)
		}
	}
}

// weight is the inverse document frequency of a term.
func (v *vocabulary) weight(term string) float64 { return math.Log(1 + (v.all+1)/(v.seen[term]+.5)) }

func (v *vocabulary) vector(s string) []float32 {
	if v.table == nil {
		return nil
	}
	return v.table.Vector(s)
}

// asked is a question in the terms of a vocabulary.
type asked struct {
	v     *vocabulary
	terms map[string]bool
	like  []float32
	parts [][]float32     // of the windows of the question
	among map[string]bool // the names that are compared; nil: all
	page  float64         // how alike the page is, see on
	memo  map[string]float64
	kinds map[string]bool // see mentions
}

func (v *vocabulary) ask(s string) *asked {
	a := &asked{v: v, terms: terms(s), like: v.vector(s), memo: map[string]float64{}, kinds: map[string]bool{}}
	if v.names != nil {
		a.among = v.having(a.terms)
	}
	for _, w := range windows(s) {
		if p := v.vector(w); p != nil {
			a.parts = append(a.parts, p)
		}
	}
	return a
}

// having returns the names that have a term of a question, those with its rarest terms first, at most mostCompared.
func (v *vocabulary) having(terms map[string]bool) map[string]bool {
	out := map[string]bool{}
	rare := slices.SortedFunc(maps.Keys(terms), func(x, y string) int {
		return cmp.Or(len(v.names[x])-len(v.names[y]), cmp.Compare(x, y))
	})
	for _, t := range rare {
		for _, name := range v.names[t] {
			if len(out) == mostCompared {
				return out
			}
			out[name] = true
		}
	}
	return out
}

// Limits on a question: its windows, and the elements of a map whose names are all compared with it. On a larger map
// only names that have a term of the question are, so that an answer does not take seconds; meaning alone finds none.
const (
	mostWindows  = 64
	mostNamed    = 20_000
	mostCompared = 4000
)

// windows returns the short parts of a text, of two to four Chinese characters or of one to three terms: a long
// question is about one element in a few of its terms.
func windows(s string) (out []string) {
	for _, chunk := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsPunct(r) }) {
		var units []string
		word := ""
		flush := func() {
			if word != "" {
				units = append(units, word)
			}
			word = ""
		}
		han := false
		for _, r := range chunk {
			switch {
			case unicode.Is(unicode.Han, r):
				flush()
				units, han = append(units, string(r)), true
			case unicode.IsSpace(r):
				flush()
			default:
				word += string(r)
			}
		}
		flush()
		least, most, sep := 1, 3, " "
		if han {
			least, most, sep = 2, 4, ""
		}
		for n := least; n <= most; n++ {
			for i := 0; i+n <= len(units) && len(out) < mostWindows; i++ {
				out = append(out, strings.Join(units[i:i+n], sep))
			}
		}
	}
	return out
}

func terms(s string) map[string]bool {
	out := map[string]bool{}
	for _, t := range text.Tokens(s) {
		out[t] = true
	}
	return out
}

// on returns the question with how alike a page is to it.
func (a *asked) on(route, title string) *asked {
	b := *a
	b.page = a.alike(strings.NewReplacer("/", " ", "-", " ", "_", " ", variable, "").Replace(route) + " " + title)
	return &b
}

// alike returns from 0 to 1 how alike a text is to the question: the share of its terms' weight that the question has,
// or the similarity of their vectors where that is more.
func (a *asked) alike(s string) float64 {
	if s = strings.TrimSpace(s); s == "" {
		return 0
	}
	if known, ok := a.memo[s]; ok {
		return known
	}
	all, hit := 0.0, 0.0
	for t := range terms(s) {
		w := a.v.weight(t)
		if all += w; a.terms[t] {
			hit += w
		}
	}
	out := 0.0
	if all > 0 {
		out = hit / all
	}
	if a.like != nil {
		name := a.v.vector(s)
		out = max(out, float64(dot(a.like, name)))
		for _, p := range a.parts {
			out = max(out, ofPart*float64(dot(p, name)))
		}
	}
	a.memo[s] = out
	return out
}

func dot(a, b []float32) (sum float32) {
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return sum
}

// score returns from 0 to 1 how well an element, or an action on it, fits the question. others returns what people call
// an element, and whether a reader has named it.
func (a *asked) score(others func(role, name string) ([]string, bool), of elementKey, do, selector string) float64 {
	name := of.Name
	if name == "" {
		name = wordsOfSelector(selector)
	}
	kind := 0.0
	if a.mentions(roles[of.Role]) {
		kind = 1
	} else if do != "" && a.mentions(doings[do]) {
		kind = 0.7
	}
	named := 0.0
	if a.among == nil || a.among[name] {
		named = a.alike(name)
	}
	if icon := icons[strings.TrimSpace(name)]; icon != "" {
		named = max(named, a.alike(icon))
	}
	list, read := others(of.Role, of.Name)
	for _, other := range list {
		named = max(named, a.alike(other))
	}
	if read && named < leastNamed {
		return 0
	}
	if of.Place != "" {
		named = max(named, .8*named+.2*a.alike(of.Place))
	}
	score := ofName*named + ofKind*kind + ofPage*a.page
	if kind == 0 && of.Role != "" && !operable(of.Role) {
		score *= ofStill
	}
	return math.Round(score*1000) / 1000
}

// nameOf returns the name of a product.
func (m *Map) nameOf(p *product) string {
	for name, x := range m.products {
		if x == p {
			return name
		}
	}
	return ""
}

// mentions reports whether the question has one of the words.
func (a *asked) mentions(words string) bool {
	if known, ok := a.kinds[words]; ok {
		return known
	}
	for t := range terms(words) {
		if a.terms[t] {
			a.kinds[words] = true
			return true
		}
	}
	a.kinds[words] = false
	return false
}

// wordsOfSelector returns how a selector without a name describes its element.
func wordsOfSelector(selector string) string {
	return strings.Join(strings.FieldsFunc(selector, func(r rune) bool {
		return strings.ContainsRune(`#.[]()='"/:>@*,`, r)
	}), " ")
}

// sortedLinks returns the links of a page in a fixed order.
func sortedLinks(g *page) []linkKey {
	return slices.SortedFunc(maps.Keys(g.links), func(a, b linkKey) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Do, b.Do), cmp.Compare(a.Role, b.Role),
			cmp.Compare(a.Name, b.Name))
	})
}
