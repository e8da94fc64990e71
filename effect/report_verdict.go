package effect

import (
	"fmt"

	"github.com/memtree/memtree/taxonomy"
)

// proof is the evidence that is proof.
const proof = 1 / Alpha

// verdict returns the summary, conclusion first. The bets decide what is proven, at any time of inspection; the
// interval gives the size.
func (r *Report) verdict(b *Breaker) taxonomy.Text {
	switch {
	case r.Runs == 0:
		return taxonomy.Text{EN: "No run has come back yet.", ZH: "还没有任何运行返回结果。"}
	case r.State == Open:
		return r.proven(b.All.Harm, taxonomy.Text{EN: "Memory harms", ZH: "记忆有害"}, taxonomy.Text{
			EN: " It is not given until the tree has evolved.", ZH: "在记忆树演化之前不再提供记忆。",
		})
	case r.State == HalfOpen:
		return taxonomy.Text{
			EN: fmt.Sprintf("Memory harmed before the tree evolved and is on trial: %d of %d runs, half of them without it.",
				b.All.Trial, onTrial),
			ZH: fmt.Sprintf("演化之前记忆有害，现正试用：已完成 %d / %d 次运行，其中一半不提供记忆。", b.All.Trial, onTrial),
		}
	case r.None == 0:
		return taxonomy.Text{
			EN: fmt.Sprintf("Not known: none of %d runs was held out, so there is nothing to compare with.", r.Runs),
			ZH: fmt.Sprintf("无法得知：%d 次运行中没有留出任何对照，无从比较。", r.Runs),
		}
	case b.All.Help.Best >= proof:
		return r.proven(b.All.Help, taxonomy.Text{EN: "Memory helps", ZH: "记忆有益"}, taxonomy.Text{})
	}
	return r.open()
}

func (r *Report) proven(by purse, what, then taxonomy.Text) taxonomy.Text {
	size, e := r.size(), amount(by.Best)
	if now := amount(by.E()); now != e {
		return taxonomy.Text{
			EN: fmt.Sprintf("%s: %s, evidence %s at its highest and %s now; %.0f at any time is proof.%s",
				what.EN, size.EN, e.EN, now.EN, proof, then.EN),
			ZH: fmt.Sprintf("%s：%s，证据值最高时为%s，现为%s（曾达到 %.0f 即为证实）。%s",
				what.ZH, size.ZH, e.ZH, now.ZH, proof, then.ZH),
		}
	}
	return taxonomy.Text{
		EN: fmt.Sprintf("%s: %s, evidence %s, where %.0f is proof.%s", what.EN, size.EN, e.EN, proof, then.EN),
		ZH: fmt.Sprintf("%s：%s，证据值%s（达到 %.0f 即为证实）。%s", what.ZH, size.ZH, e.ZH, proof, then.ZH),
	}
}

func (r *Report) open() taxonomy.Text {
	size, help, harm := r.size(), amount(r.EHelp), amount(r.EHarm)
	more := taxonomy.Text{EN: ".", ZH: "。"}
	if r.Needed > 0 {
		more = taxonomy.Text{
			EN: fmt.Sprintf("; if it stays so, about %d more runs would settle it.", r.Needed),
			ZH: fmt.Sprintf("；若保持不变，再有约 %d 次运行即可定论。", r.Needed),
		}
	}
	return taxonomy.Text{
		EN: fmt.Sprintf("Not shown yet: %s, evidence for help %s and for harm %s, where %.0f is proof%s",
			size.EN, help.EN, harm.EN, proof, more.EN),
		ZH: fmt.Sprintf("尚无定论：%s，有益的证据值%s、有害的证据值%s（达到 %.0f 即为证实）%s",
			size.ZH, help.ZH, harm.ZH, proof, more.ZH),
	}
}

// size describes the size of the lift.
func (r *Report) size() taxonomy.Text {
	if !r.known() {
		return taxonomy.Text{
			EN: "no test ran both with and without memory",
			ZH: "没有测试既在有记忆、又在无记忆的情况下运行过",
		}
	}
	lift, low, high := points(r.Lift.Lift), points(r.Low), points(r.High)
	return taxonomy.Text{
		EN: fmt.Sprintf("%s points (95 %%: %s to %s; runs with memory %d, without %d; tests %d)",
			lift, low, high, r.N, r.M, r.Lift.Tests),
		ZH: fmt.Sprintf("%s 个百分点（95 %%：%s 至 %s；运行：有记忆 %d 次、无记忆 %d 次；测试 %d 个）",
			lift, low, high, r.N, r.M, r.Lift.Tests),
	}
}

// amount formats evidence. The Chinese text begins with the space required between a character and a digit.
func amount(e float64) taxonomy.Text {
	s := fmt.Sprintf("%.1f", e)
	switch {
	case e >= 1e6:
		return taxonomy.Text{EN: "over a million", ZH: "逾百万"}
	case e >= 10:
		s = fmt.Sprintf("%.0f", e)
	}
	return taxonomy.Text{EN: s, ZH: " " + s}
}
