package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
)

type riskIn struct {
	run
	Lang string `json:"lang,omitempty" enum:"en,zh" jsonschema:"language of the reasons; left out: that of the prompt"`
}

type riskOut struct {
	PWrong    float64  `json:"p_wrong" jsonschema:"probability that the judgment is wrong, 0 to 1"`
	Low       float64  `json:"low" jsonschema:"95 % interval of p_wrong"`
	High      float64  `json:"high" jsonschema:"95 % interval of p_wrong"`
	Enough    bool     `json:"enough"`
	Known     int      `json:"known" jsonschema:"verdicts in memory whose truth is known"`
	Base      float64  `json:"base" jsonschema:"share of them that were wrong"`
	Direction string   `json:"direction,omitempty" jsonschema:"which way such verdicts were wrong"`
	Reasons   []reason `json:"reasons" jsonschema:"why: what speaks for wrong first, each the strongest first"`
	Next      string   `json:"next" jsonschema:"what to make of it"`
}

type reason struct {
	Says    string  `json:"says"`
	Speaks  string  `json:"speaks_for" jsonschema:"wrong or right"`
	LogOdds float64 `json:"log_odds" jsonschema:"by how much"`
}

func riskTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "assess_verdict",
		Description: "Call this after you, or another agent, judged a test and before the truth is known. It estimates how " +
			"likely the judgment is to be wrong, learned from earlier verdicts whose truth became known, and why. It looks at " +
			"no page itself: use it to decide which judgments to look at again. It records nothing.",
		Annotations: &mcp.ToolAnnotations{Title: "Assess a verdict", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) assessVerdict(ctx context.Context, c toolCall, in riskIn) (riskOut, error) {
	r, err := s.m.Risk(ctx, in.evaluation(c))
	if err != nil {
		return riskOut{}, err
	}
	lang := s.langOf(in.Lang, in.Prompt)
	out := riskOut{PWrong: rounded(r.P), Low: rounded(r.Low), High: rounded(r.High), Enough: r.Enough, Known: r.Known,
		Base: rounded(r.Base), Direction: string(r.Direction), Reasons: []reason{}, Next: riskNext(&r, lang)}
	for _, b := range r.Because {
		speaks := "wrong"
		if b.LogOdds < 0 {
			speaks = "right"
		}
		out.Reasons = append(out.Reasons, reason{riskReason(&b, lang), speaks, rounded(b.LogOdds)})
	}
	slices.SortStableFunc(out.Reasons, func(a, b reason) int { return cmp.Compare(b.Speaks, a.Speaks) }) // wrong first
	return out, nil
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

// unusual reports whether a judgment is much likelier to be wrong than the base rate.
func unusual(r *risk.Risk) bool { return r.P >= 0.2 && r.P >= 2*r.Base }

// riskNext returns what to do about a risk.
func riskNext(r *risk.Risk, lang string) string {
	percent := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	switch {
	case r.Learned:
		return inLang(lang, "The truth of this very run is in memory already, so this is no forecast.",
			"这次运行的真值已在记忆中，因此这不是预测。")
	case !r.Enough:
		return fmt.Sprintf(inLang(lang, "No evidence yet that past errors predict this one: of %d verdicts whose truth is "+
			"known %s were wrong. Judge as you would, and record truths when they become known.",
			"尚无证据表明以往的错误能预测这一次：真值已知的 %d 个判断中有 %s 是错的。请照常判断，得知真值后请记录。"), r.Known, percent(r.Base))
	case r.P >= ledger.CorrectAbove:
		return inLang(lang, "Very likely wrong. Look at the page again before you report it, beginning with the first "+
			"reason; "+
			"if you cannot, report it as doubtful.", "很可能是错的。上报之前请再看一遍页面，从第一条理由开始；若无法再看，请标为存疑。")
	case r.P >= 0.5:
		return inLang(lang, "More likely wrong than right. Look at the page again, beginning with the first reason, and "+
			"keep "+
			"your judgment if it stands.", "错的可能性大于对的可能性。请再看一遍页面，从第一条理由开始；若判断仍成立，则保持不变。")
	case unusual(r):
		return inLang(lang, "Wrong more often than usual. Look at the page again, beginning with the first reason, and keep "+
			"your judgment if it stands.", "比通常更容易错。请再看一遍页面，从第一条理由开始；若判断仍成立，则保持不变。")
	}
	return inLang(lang, "Nothing unusual: no need to look again because of this.", "没有异常：不必因此再看一遍。")
}

// riskReason returns a sentence on what a signal found.
func riskReason(r *risk.Reason, lang string) string {
	words := make([]string, 0, len(r.Words))
	for _, w := range r.Words {
		words = append(words, plain(w))
	}
	list := strings.Join(words, inLang(lang, ", ", "、"))
	first := func(ids []string) string {
		if len(ids) == 0 {
			return ""
		}
		return plain(ids[0])
	}
	switch r.Signal {
	case "place":
		return inLang(lang, "how often verdicts were wrong in this place", "此处判断出错的频率")
	case "truth":
		return inLang(lang, "what was true of this test before", "这个测试以往的真值")
	case "judge":
		return inLang(lang, "how often this agent was wrong", "这个智能体出错的频率")
	case "words":
		return inLang(lang, "words of its reason: ", "理由中的词：") + list
	case "style":
		return inLang(lang, "how its reason reads", "理由的写法")
	case "seen":
		switch r.From {
		case risk.FromPrompt:
			return inLang(lang, "words of its task: ", "任务中的词：") + list
		case risk.FromObservation:
			return inLang(lang, "words of what it saw: ", "所见内容中的词：") + list
		}
		return inLang(lang, "words of its task and of what it saw: ", "任务和所见内容中的词：") + list
	case "reasons":
		return inLang(lang, "what came of verdicts with such a reason, nearest ", "理由相似的判断结果如何，最近的是 ") +
			first(r.Evaluations)
	case "runs":
		return inLang(lang, "what was true of runs like it, nearest ", "相似运行的真值，最近的是 ") + first(r.Evaluations)
	case "confidence":
		return inLang(lang, "the judge's own confidence", "判定者自称的把握")
	case "look":
		return inLang(lang, "what a second look found", "再次查看的结果")
	case "facts":
		return inLang(lang, "the page itself, held against memory ", "页面本身与记忆对照：") + first(r.Memories)
	}
	return inLang(lang, "length and tone of the run and its reason", "运行及其理由的长度和语气")
}
