package formation

import (
	"strings"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Detection is whether a verdict was right, as far as it is known.
type Detection struct {
	// Labelled is false when the truth is unknown, or when it cannot be compared with the judgment. Then Correct is
	// false and Direction None, or Environment for a run that shows nothing about its judge: a test that fails does not
	// mean that the agent was wrong.
	Labelled  bool
	Correct   bool
	Direction taxonomy.Direction // of a wrong verdict, or Environment; None for any other
	// Note is a sentence for people about a contradiction, "" for none. After a contradiction the explicit field was
	// used, or nothing was decided.
	Note string

	prose bool // judgment and ground truth are free text, so a model could decide better
}

// Detect returns whether the judgment of e was right, and which way it was wrong.
//
// It uses correct and direction as given. Without them a run with an excuse shows nothing about its judge, even
// if a ground truth is given. Otherwise Detect compares judgment and ground truth, see
// judgment.Compare: the verdicts of both if both have one (bool; pass, 失败 and the like; has_defect), else the fields
// of the ground truth. A flaky result is undecided. So are long free texts that differ, and a sentence against a bare
// verdict; a Former with a model then calls the model.
//
// The direction is false_pass when the agent's verdict is a pass and the truth is a failure or a defect, false_fail in
// the reverse case, and other when one of the two cannot be read.
func Detect(e *tree.Evaluation) Detection {
	return detect(e, judgment.Decode(e.Judgment), judgment.Decode(e.GroundTruth))
}

// detect is Detect of an evaluation whose judgment and ground truth are decoded.
func detect(e *tree.Evaluation, judged, truth any) Detection {
	switch {
	case e.Direction == taxonomy.Environment:
		return Detection{Direction: taxonomy.Environment}
	case e.Correct != nil && *e.Correct:
		return explicitlyRight(e, judged, truth)
	case e.Correct != nil || e.Direction.Valid():
		return explicitlyWrong(e, judged, truth)
	case e.Excuse != "":
		return Detection{Direction: taxonomy.Environment}
	case e.GroundTruth.Null():
		return Detection{}
	case judgment.Flaky(judged) || judgment.Flaky(truth):
		return Detection{Note: "a flaky result is no misjudgement; say correct: true or false to have it count"}
	}
	said, is := judgment.PolarityOf(judged), judgment.PolarityOf(truth)
	switch same, why := judgment.Compare(judged, truth); {
	case why != "":
		return Detection{Note: why, prose: judgment.InWords(judged) && (judgment.InWords(truth) || is != judgment.Unread)}
	case same:
		return Detection{Labelled: true, Correct: true}
	default:
		prose := said == judgment.Unread && is == judgment.Unread && judgment.IsSentence(judged) && judgment.IsSentence(truth)
		return Detection{Labelled: true, Direction: judgment.Direction(judged, truth), prose: prose}
	}
}

func explicitlyRight(e *tree.Evaluation, judged, truth any) Detection {
	j := Detection{Labelled: true, Correct: true}
	said, is := judgment.PolarityOf(judged), judgment.PolarityOf(truth)
	switch {
	case e.Direction != taxonomy.None:
		j.Note = "correct is true although a direction is given; it counts as right"
	case said != judgment.Unread && is == said.Opposite():
		j.Note = "correct is true although judgment and ground truth contradict each other; it counts as right"
	}
	return j
}

func explicitlyWrong(e *tree.Evaluation, judged, truth any) Detection {
	j := Detection{Labelled: true, Direction: e.Direction}
	read := judgment.Direction(judged, truth)
	switch {
	case !j.Direction.Valid():
		j.Direction = read
	case read != taxonomy.Other && read != j.Direction:
		j.Note = "direction is " + string(j.Direction) + " although judgment and ground truth read as " + string(read) +
			"; it counts as given"
	}
	if same, _ := judgment.Compare(judged, truth); same && !e.GroundTruth.Null() {
		j.Note = "it is marked wrong although judgment and ground truth say the same; it counts as wrong"
	}
	return j
}

// among reports whether a list of words, with a space on either side of each, contains the word.
func among(list, word string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(list, " "+word+" ")
}

// Guess returns the direction in which a judgment of a foreign file was wrong, None if it was right or cannot be
// compared with truth. The judgment may be JSON or plain text.
func Guess(judgment string, truth tree.Raw) taxonomy.Direction {
	said := tree.Raw(judgment)
	if said.Check() != nil || len(said) == 0 {
		said = tree.Quote(judgment)
	}
	return Detect(&tree.Evaluation{Judgment: said, GroundTruth: truth}).Direction
}
