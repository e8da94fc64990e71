package look

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sampleTask = "Post the notice about the meetup on Sep 10th in the books forum, title \"Big little lies\"."

const sampleEvidence = `7. fill('142', 'Join us for a virtual meetup on Sep 10th at 19:00.')
8. click('406') "Create submission"
fill('134', 'Cat friendly\nLocal vendors\nPromotion')
The page says: “You cannot post more. Wait a while before trying again.”
订单 42 的总价为 12.50 元，确认后页面没有变化。
click('406')
9. send_msg_to_user("I'm unable to post the notice right now because there's a rate limit message.")`

func TestQuotes(t *testing.T) {
	q := newQuotes(sampleEvidence, sampleTask)
	for _, s := range []string{
		"You cannot post more. Wait a while before trying again.", `"You cannot post more."`, "you  CANNOT post\nmore",
		"unable to post the notice right now because there's a rate limit", "确认后页面没有变化", "总价为 12.50 元",
		"virtual meetup on Sep 10th at 19:00", "click('406')",
		"Local vendors Promotion", `friendly\nLocal vendors`, "ＹＯＵ cannot post　more．", "unable to post the notice",
	} {
		require.True(t, q.found(s), s)
	}
	for _, s := range []string{
		"", " ", "post more", "You can post more. Wait a while", "cannot post more. Wait a wh", "annot post more. Wait",
		"You cannot post more […] trying again", "总价为 125.0 元", "确认后页面有变化", "the meetup on Sep 10th in the books forum",
		"click('40')", "406", "click", "click('407')", "fill('142')",
		"post the notice right now because there's", "post more. Wait a while", "总价为 12", "50 元，确认后页面",
		"Create submission was clicked successfully", "Wait a while before trying again. You cannot post more.",
	} {
		require.False(t, q.found(s), s)
	}
}

func FuzzQuotes(f *testing.F) {
	f.Add("some evidence of the run", "evidence of the run", "the task")
	f.Fuzz(func(t *testing.T, evidence, quote, task string) {
		if newQuotes(evidence, task).found(quote) {
			require.Contains(t, folded(evidence), strings.Trim(folded(quote), ` "'.…`))
		}
	})
}

// TestMadeUp: a reader that found something and quotes what is not there is one thing, and one that could not see is
// another.
func TestMadeUp(t *testing.T) {
	made := TaskPoint{"posted", yes, "made up", false, 0}
	for _, c := range []struct {
		name string
		want bool
		of   Look
	}{
		{"made up", true, Look{Holds: yes, Points: []TaskPoint{made}}},
		{"made up against it", true, Look{Holds: no, Points: []TaskPoint{{Shown: unseen}}, Against: "made up"}},
		{"not to be seen", false, Look{Holds: unseen, Points: []TaskPoint{made}}},
		{"no quotation", false, Look{Holds: yes, Points: []TaskPoint{{"posted", unseen, "", false, 0}}}},
		{"some of it is there", false, Look{Holds: yes, Points: []TaskPoint{made, {"x", yes, "there", true, 0}}}},
		{"a picture", false, Look{Holds: yes, Points: []TaskPoint{{"x", yes, "picture 1: there", false, 1}}}},
		{"a model that decides", false, Look{Holds: yes, P: new(.9)}},
	} {
		require.Equal(t, c.want, c.of.MadeUp(), c.name)
	}
}

// TestQuoted: what is quoted of a look is its ground: a point that was not done, where there is one.
func TestQuoted(t *testing.T) {
	done, left := TaskPoint{"posted", yes, "the post is there", true, 0},
		TaskPoint{"twice", no, "a rate limit message", true, 0}
	for _, c := range []struct {
		name, want string
		of         Look
	}{
		{"a fail that holds", left.Quote, Look{Holds: yes, Points: []TaskPoint{done, left}}},
		{"a pass that holds", done.Quote, Look{Holds: yes, Points: []TaskPoint{done}}},
		{"a pass that does not hold", left.Quote, Look{Holds: no, Points: []TaskPoint{done, left}}},
		{"a fail that does not hold", done.Quote, Look{Holds: no, Points: []TaskPoint{done}}},
		{"contradicted", "it was posted", Look{Holds: no, Points: []TaskPoint{left}, Against: "it was posted",
			Refuted: true}},
		{"made up", "", Look{Holds: no, Points: []TaskPoint{{"posted", no, "made up", false, 0}}}},
	} {
		_, got := c.of.Quoted()
		require.Equal(t, c.want, got, c.name)
	}
}
