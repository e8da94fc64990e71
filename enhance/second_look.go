package enhance

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
)

// Doubt is a reason why a first verdict is likely to be wrong.
type Doubt struct {
	Signal string   // name of a signal of package risk
	Words  []string // parts of the verdict's reason that the doubt rests on, if any
}

// mostDoubts and mostWords bound the text about a first verdict.
const (
	mostDoubts = 3
	mostWords  = 5
)

// doubts are sentences for the signals of package risk. A signal without an entry is omitted.
var doubts = map[string]taxonomy.Text{
	"place":   {EN: "verdicts on this kind of page were often wrong", ZH: "这类页面上的判定常常出错"},
	"truth":   {EN: "it does not fit what was seen on this test before", ZH: "它与该测试以往的情况不符"},
	"judge":   {EN: "this judge was often wrong", ZH: "该判定者常常出错"},
	"words":   {EN: "its reason speaks as wrong ones do", ZH: "其理由的用词与出错的判定相似"},
	"style":   {EN: "its reason reads like those of wrong verdicts", ZH: "其理由的写法与出错的判定相似"},
	"seen":    {EN: "verdicts on pages that show such words were often wrong", ZH: "页面上有这类文字时，判定常常出错"},
	"reasons": {EN: "a verdict with such a reason was wrong before", ZH: "以往出现过理由相近而出错的判定"},
	"runs":    {EN: "runs like it went another way", ZH: "与之相似的运行结果不同"},
	"shape":   {EN: "it is as short or as long, and as sure, as wrong verdicts are", ZH: "其长短与语气和出错的判定相似"},
	"facts":   {EN: "the page itself seems to say otherwise", ZH: "页面本身似乎与之不符"},
}

// SecondLook returns the fenced text for the prompt of a second run: the guidance of the first run, which may be empty,
// and below it why the first verdict is likely to be wrong. It does not name that verdict. Without a known reason it
// returns guidance alone. lang is "zh" or "en"; "" is the language of prompt.
func SecondLook(guidance, prompt, lang string, why []Doubt) (string, error) {
	lang = cmp.Or(lang, text.Lang(prompt))
	var reasons []string
	for _, d := range why {
		t, known := doubts[d.Signal]
		if !known || len(reasons) == mostDoubts {
			continue
		}
		line := t.In(lang)
		if d.Signal == "words" || d.Signal == "seen" {
			line += listed(d.Words, lang)
		}
		reasons = append(reasons, line)
	}
	if len(reasons) == 0 {
		return guidance, nil
	}
	p, err := prompts.Load().Second(prompts.SecondInput{Lang: lang, Reasons: reasons})
	if err != nil {
		return "", fmt.Errorf("write a second look: %w", err)
	}
	said := strings.TrimRight(p.System+"\n\n"+p.Text, "\n")
	if guidance == "" {
		return Open + "\n" + said + "\n" + Close, nil
	}
	return strings.TrimSuffix(guidance, Close) + "\n" + said + "\n" + Close, nil
}

// listed appends quotations to a clause, made safe and short. It returns "" if together they are a text that may not
// be shown.
func listed(words []string, lang string) string {
	var out []string
	for _, w := range words[:min(len(words), mostWords)] {
		if w = text.Clip(inert(w), 24); w != "" {
			out = append(out, w)
		}
	}
	_, bad := guard.Unsafe(strings.Join(out, " "))
	_, forces := guard.Forces(strings.Join(out, " "))
	switch {
	case bad || forces || len(out) == 0:
		return ""
	case lang == "zh":
		return "：" + strings.Join(out, "、")
	}
	return ": " + strings.Join(out, ", ")
}
