package look

import (
	"fmt"
	"math/rand/v2"
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
		"Local vendors Promotion", `friendly\nLocal vendors`,
	} {
		require.True(t, q.found(s), s)
	}
	for _, s := range []string{
		"", " ", "post more", "You can post more. Wait a while", "cannot post more. Wait a wh", "annot post more. Wait",
		"You cannot post more […] trying again", "总价为 125.0 元", "确认后页面有变化", "the meetup on Sep 10th in the books forum",
		"click('40')", "406", "click", "click('407')", "fill('142')",
		"Create submission was clicked successfully", "Wait a while before trying again. You cannot post more.",
	} {
		require.False(t, q.found(s), s)
	}
}

// TestMadeUpQuotations: of a thousand quotations that a reader could make up none passes.
func TestMadeUpQuotations(t *testing.T) {
	q := newQuotes(sampleEvidence, sampleTask)
	rng := rand.New(rand.NewPCG(5, 5))
	words := strings.Fields(sampleEvidence)
	task := strings.Fields(sampleTask)
	other := strings.Fields("not successfully never always 13 completed posted order confirmed page button shown failed")
	part := func(of []string) []string {
		n := 4 + rng.IntN(8)
		at := rng.IntN(max(1, len(of)-n))
		return append([]string(nil), of[at:min(len(of), at+n)]...)
	}
	tried := 0
	for tried < 1000 {
		s := part(words)
		switch rng.IntN(6) {
		case 0:
			rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		case 1: // another word
			s[rng.IntN(len(s))] = other[rng.IntN(len(other))]
		case 2: // a word more
			at := 1 + rng.IntN(len(s)-1)
			s = append(s[:at:at], append([]string{other[rng.IntN(len(other))]}, s[at:]...)...)
		case 3: // a word less, inside
			at := 1 + rng.IntN(len(s)-2)
			s = append(s[:at:at], s[at+1:]...)
		case 4: // of the task
			s = part(task)
		case 5: // another number
			for i := range s {
				s[i] = strings.Map(func(r rune) rune {
					if r >= '0' && r <= '8' {
						return r + 1
					}
					return r
				}, s[i])
			}
		}
		made := strings.Join(s, " ")
		if strings.Contains(folded(sampleEvidence), strings.Trim(folded(made), ` "'.…`)) &&
			!strings.Contains(folded(sampleTask), strings.Trim(folded(made), ` "'.…`)) {
			continue // it is there after all
		}
		tried++
		require.False(t, q.found(made), fmt.Sprintf("%q", made))
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
