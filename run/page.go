package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
)

// Limits of a page.
const (
	pageNotes = 20 // of each kind
	pageText  = 300
)

// Markdown returns r as a page in lang ("zh", else English) from which a person or another agent can continue: the
// goal, the state, the unfinished tasks, what was found, went wrong, was decided and seen, the latest pages, and the
// feedback. Each text of the run is cut and on one line, and of a long list only a part is there.
func Markdown(r *Run, lang string) string {
	p := page{lang: lang}
	p.line("# %s", text.Clip(text.Line(r.Goal), pageText))
	p.line("")
	p.state(r)
	p.plan(r)
	p.notes(r, ledger.WorkFinding, taxonomy.Text{EN: "Found", ZH: "发现"})
	p.notes(r, ledger.WorkError, taxonomy.Text{EN: "Went wrong", ZH: "出错"})
	p.notes(r, ledger.WorkDecision, taxonomy.Text{EN: "Decided", ZH: "决定"})
	p.notes(r, ledger.WorkNote, taxonomy.Text{EN: "Seen", ZH: "观察"})
	if len(r.Visited) > 0 {
		p.head(taxonomy.Text{EN: "Pages visited: %d, elements tested: %d", ZH: "访问页面 %d 个，测试元素 %d 个"},
			len(r.Visited), len(r.Tested))
		for _, v := range r.Visited[max(0, len(r.Visited)-pageNotes):] {
			p.line("- %s", v.Page)
		}
	}
	for _, f := range r.Feedback {
		p.head(taxonomy.Text{EN: "Feedback: %d of 5", ZH: "反馈：%d 分（满分 5）"}, f.Rating)
		p.line("%s", text.Clip(text.Line(f.Text), pageText))
	}
	return p.b.String()
}

// page is a page being written.
type page struct {
	b    strings.Builder
	lang string
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *page) head(t taxonomy.Text, args ...any) {
	p.line("\n## "+t.In(p.lang)+"\n", args...)
}

func (p *page) state(r *Run) {
	name := map[State]taxonomy.Text{
		Open: {EN: "under way", ZH: "进行中"}, Success: {EN: "ended: success", ZH: "已结束：成功"},
		Partial: {EN: "ended: partial", ZH: "已结束：部分完成"}, Failure: {EN: "ended: failure", ZH: "已结束：失败"},
	}[r.State]
	parts := []string{r.ID, name.In(p.lang)}
	for _, s := range []string{r.Product, r.Build, r.Test, strings.Join(r.Agents, ", ")} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	parts = append(parts, r.Began.UTC().Format(time.DateTime)+" – "+r.Last.UTC().Format(time.DateTime))
	p.line("%s", strings.Join(parts, " · "))
	if r.Why != "" {
		p.line("\n%s", text.Clip(text.Line(r.Why), pageText))
	}
}

// plan lists the open tasks, and counts the others.
func (p *page) plan(r *Run) {
	if len(r.Tasks) == 0 {
		return
	}
	done := map[string]int{}
	for _, t := range r.Tasks {
		done[t.State]++
	}
	p.head(taxonomy.Text{EN: "Plan: %d of %d tasks done, %d failed, %d dropped",
		ZH: "计划：%[2]d 项任务完成 %[1]d 项，失败 %[3]d 项，放弃 %[4]d 项"},
		done["done"], len(r.Tasks), done["failed"], done["dropped"])
	next := r.Next()
	for _, t := range next[:min(len(next), pageNotes)] {
		mark := " "
		if t.State == "doing" {
			mark = "~"
		}
		p.line("- [%s] %s: %s", mark, t.ID, text.Clip(text.Line(t.Text), pageText))
	}
	if rest := len(next) - pageNotes; rest > 0 {
		p.line("%s", fmt.Sprintf(taxonomy.Text{EN: "- and %d more", ZH: "- 另有 %d 项"}.In(p.lang), rest))
	}
}

// notes lists the latest notes of a kind.
func (p *page) notes(r *Run, kind ledger.WorkKind, head taxonomy.Text) {
	all := r.Of(kind)
	if len(all) == 0 {
		return
	}
	p.head(taxonomy.Text{EN: head.EN + ": %d", ZH: head.ZH + "：%d"}, len(all))
	for _, n := range all[max(0, len(all)-pageNotes):] {
		at := ""
		if n.Page != "" {
			at = " (" + n.Page + ")"
		}
		if n.State != "" {
			at += " [" + n.State + "]"
		}
		p.line("- %s%s", text.Clip(text.Line(n.Text), pageText), at)
	}
}
