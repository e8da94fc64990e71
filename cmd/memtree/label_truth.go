package main

import (
	"strings"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// word is a label in a table.
type word string

// The labels. pass and fail are the truth of the test, the others are about the verdict.
const (
	saysRight word = "right"
	saysWrong word = "wrong"
	saysPass  word = "pass"
	saysFail  word = "fail"
	saysMiss  word = word(taxonomy.FalsePass)
	saysAlarm word = word(taxonomy.FalseFail)
	saysOther word = word(taxonomy.Other)
)

// wordOf parses a label, false if it is none. TRUE and numbers are none, because a spreadsheet may have made them.
func wordOf(s string) (word, bool) {
	switch s = strings.ReplaceAll(strings.ReplaceAll(s, " ", "_"), "-", "_"); s {
	case "right", "wrong", "pass", "fail", "false_pass", "false_fail", "other":
		return word(s), true
	case "对", "判对", "正确":
		return saysRight, true
	case "错", "判错", "误判", "错误":
		return saysWrong, true
	case "通过":
		return saysPass, true
	case "不通过", "失败", "未通过":
		return saysFail, true
	case "漏报", "漏报缺陷":
		return saysMiss, true
	case "误报":
		return saysAlarm, true
	}
	return "", false
}

// truthOf returns the truth of a run for a label, or the reason why the label does not fit the run.
func truthOf(v *say.Voice, w word, e *tree.Evaluation, note string) (curation.Truth, string) {
	t, way := curation.Truth{Reason: note}, find.Way(e)
	switch {
	case w == saysPass || w == saysFail:
		if way == taxonomy.Other {
			return t, v.Say("is %s, and the verdict cannot be read as pass or fail; write right or wrong", w)
		}
		t.GroundTruth = tree.Quote(string(w))
		if right := (w == saysPass) == (way == taxonomy.FalsePass); !right {
			t.Direction = way
		} else {
			t.Correct = new(true)
		}
	case w == saysRight:
		t.Correct = new(true)
	case w == saysWrong:
		t.Correct, t.Direction = new(false), way
	case w != saysOther && way != taxonomy.Other && taxonomy.Direction(w) != way:
		return t, v.Say("is %s, and the verdict was %s; write right, or mend it", w, judgedName(v, e))
	default:
		t.Correct, t.Direction = new(false), taxonomy.Direction(w)
	}
	return t, ""
}

// judgedName is the verdict of a run, pass or fail; - if it cannot be read.
func judgedName(v *say.Voice, e *tree.Evaluation) string {
	return polarityName(v, judgment.PolarityOf(judgment.Decode(e.Judgment)))
}

func polarityName(v *say.Voice, p judgment.Polarity) string {
	switch p {
	case judgment.Passes:
		return v.Say("pass")
	case judgment.Fails:
		return v.Say("fail")
	case judgment.Unread:
	}
	return "-"
}

// contrary reports whether a label names a direction that is impossible for a verdict, and returns what that verdict
// was.
func contrary(was *tree.Verdict, w word) (said judgment.Polarity, is bool) {
	switch {
	case was.Direction == taxonomy.FalsePass && w == saysAlarm:
		return judgment.Passes, true
	case was.Direction == taxonomy.FalseFail && w == saysMiss:
		return judgment.Fails, true
	}
	return judgment.Unread, false
}

// judgedParts returns the verdict of a run, pass or fail, and the rest of the judgment; the whole judgment if no
// verdict can be read.
func judgedParts(e *tree.Evaluation) (verdict, beside string) {
	read := judgment.Decode(e.Judgment)
	if p := judgment.PolarityOf(read); p != judgment.Unread {
		return p.String(), judgment.Read(read).Beside
	}
	return e.Judgment.Text(), ""
}
