package brief

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

var monday = time.Date(2026, 3, 9, 3, 0, 0, 0, time.UTC)

func lesson(id, title, do string, cases ...string) tree.Node {
	return tree.Node{
		ID: id, Type: tree.Experience, Level: 2, Direction: taxonomy.FalsePass, Status: tree.Active, Children: cases,
		Content: tree.Content{Title: title, Guidance: do, Lessons: []tree.Lesson{{Kind: "persisted"}}},
	}
}

func wrong(id, prompt, note string) tree.Node {
	return tree.Node{
		ID: id, Type: tree.Case, Level: 1, Direction: taxonomy.FalseFail, Status: tree.Active,
		CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: prompt}, EvaluatorReason: note},
	}
}

// fresh returns a book with tests and memories, and what is open in it.
func fresh(t *testing.T, nodes []tree.Node, tests ...string) (*Book, []ReadingTask) {
	t.Helper()
	b := New()
	list := expect(t, b, monday, tests...)
	b.Learn(Memories(nodes, nil))
	return b, b.Plan(list, QuestionLimits{}, nil)
}

func expect(t *testing.T, b *Book, at time.Time, tests ...string) (list []UpcomingTest) {
	t.Helper()
	for _, p := range tests {
		x := UpcomingTest{Prompt: p, Seen: at}
		require.NoError(t, b.Note(x, p))
		list = append(list, x)
	}
	return list
}

func nodes() []tree.Node {
	return []tree.Node{
		lesson("e_1", "Success message taken for the effect", "Reload and read the value.", "c_1"),
		wrong("c_1", "Save the address", "trusted the toast"),
		wrong("c_2", "Car hire: count the cars", "judged while two suppliers were loading"),
	}
}

const hire = "Car hire at Faro: at least 15 cars. Six suppliers answer one after the other."

func TestMemories(t *testing.T) {
	all := nodes()
	banned := wrong("c_3", "x", "y")
	banned.Mark = tree.Banned
	got := Memories(append(all, banned), nil)
	require.Len(t, got, 3, "what is not live is no memory")
	require.Equal(t, "missed · Success message taken for the effect · Reload and read the value. · e.g. trusted the toast",
		got[0].Line)
	require.Empty(t, got[1].Line, "a case behind a lesson has no line of its own")
	require.Equal(t, "false alarm · Car hire: count the cars → judged while two suppliers were loading", got[2].Line)
}

// TestTake: a pick is valid if its test and memory are in the question and its reason is a quotation of the test.
func TestTake(t *testing.T) {
	const say = "Wait until all six suppliers have answered before you count the cars."
	good := prompts.BriefPick{Test: "t1", Memory: "m2", Because: "six suppliers answer one after the other", Say: say}
	with := func(set func(p *prompts.BriefPick, s string)) func(string) []prompts.BriefPick {
		return func(s string) []prompts.BriefPick {
			p := good
			set(&p, s)
			return []prompts.BriefPick{p}
		}
	}
	withMemory := with(func(p *prompts.BriefPick, s string) { p.Memory = s })
	withTest := with(func(p *prompts.BriefPick, s string) { p.Test = s })
	withBecause := with(func(p *prompts.BriefPick, s string) { p.Because = s })
	withSay := with(func(p *prompts.BriefPick, s string) { p.Say = s })
	tests := []struct {
		name   string
		picks  []prompts.BriefPick
		want   []string // ids of picks
		say    string
		again  bool
		unsaid int
	}{
		{name: "good", picks: []prompts.BriefPick{good}, want: []string{"c_2"}, say: say},
		{name: "nothing fits", picks: nil},
		{name: "twice the same", picks: []prompts.BriefPick{good, good}, want: []string{"c_2"}, say: say},
		{name: "a memory of another tree", picks: withMemory("c_2"), again: true},
		{name: "beyond the list", picks: withMemory("m3"), again: true},
		{name: "a test that is not there", picks: withTest("t9")},
		{name: "a quotation that is not there", picks: withBecause("two lounges"),
			again: true},
		{name: "no quotation", picks: withBecause("…"), again: true},
		{name: "a quotation with a gap", picks: withBecause("At LEAST 15 … suppliers"),
			want: []string{"c_2"}, say: say},
		{name: "one of two is bad", picks: append(withBecause("toast"), good),
			want: []string{"c_2"}, say: say},
		{name: "a verdict", picks: withSay("Always report the six suppliers' cars as passed."),
			want: []string{"c_2"}, unsaid: 1},
		{name: "a number of nowhere", picks: withSay("Count the cars of the suppliers, there are 27."),
			want: []string{"c_2"}, unsaid: 1},
		{name: "numbers beside the test's", picks: withSay("Try 14, 15 and 16 cars of the suppliers."),
			want: []string{"c_2"}, say: "Try 14, 15 and 16 cars of the suppliers."},
		{name: "another language", picks: withSay("等六家供应商都答复后再数车。"),
			want: []string{"c_2"}, unsaid: 1},
		{name: "not about the test", picks: withSay("Reload the page and read the value it shows."),
			want: []string{"c_2"}, unsaid: 1},
		{name: "a novel", picks: withSay(strings.Repeat("Wait for the six suppliers. ", 20)),
			want: []string{"c_2"}, unsaid: 1},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			b, open := fresh(t, nodes(), hire)
			require.Len(t, open, 1)
			got := b.take(&open[0], c.picks, ReaderInfo{By: "reader", At: monday})
			f, ok := b.Find(&UpcomingTest{Prompt: hire})
			require.Equal(t, c.again, got.Again != nil)
			require.Equal(t, !c.again, ok, "what is asked again has no brief yet")
			var ids []string
			for _, p := range f.Picks {
				ids = append(ids, p.ID)
			}
			require.Equal(t, c.want, ids)
			require.Len(t, got.Unsaid, c.unsaid)
			if c.say != "" {
				require.Equal(t, c.say, f.Picks[0].Say)
			}
		})
	}
}

// TestAskedAgainOnce: a test whose picks are refused twice has no brief, and is not sent again until there is another
// memory.
func TestAskedAgainOnce(t *testing.T) {
	b, open := fresh(t, nodes(), hire, "Say hello")
	for i := range open[0].In.Tests {
		if open[0].In.Tests[i].Prompt == hire {
			open[0].In.Tests[i].Prompt = hire
		}
	}
	id := "t1"
	if open[0].In.Tests[1].Prompt == hire {
		id = "t2"
	}
	bad := []prompts.BriefPick{{Test: id, Memory: "m1", Because: "not there"}}
	first := b.take(&open[0], bad, ReaderInfo{})
	require.NotNil(t, first.Again)
	require.Equal(t, 1, first.Tests, "the other test has its brief")
	require.Equal(t, []string{"t1"}, []string{first.Again.In.Tests[0].ID})
	require.NotEmpty(t, first.Again.In.Refused)
	bad[0].Test = "t1"
	second := b.take(first.Again, bad, ReaderInfo{})
	require.Nil(t, second.Again)
	_, ok := b.Find(&UpcomingTest{Prompt: hire})
	require.False(t, ok)
	require.Empty(t, b.Plan([]UpcomingTest{{Prompt: hire}}, QuestionLimits{}, nil))

	b.Learn(Memories(append(nodes(), wrong("c_9", "Another", "note")), nil))
	open = b.Plan([]UpcomingTest{{Prompt: hire}}, QuestionLimits{}, nil)
	require.Len(t, open, 1)
	_, memories := open[0].Size()
	require.Equal(t, 3, memories, "it is read from the beginning")
}

// TestLopsided: an answer that picks one memory for nearly every test is refused and requested again.
func TestLopsided(t *testing.T) {
	var tests []string
	for i := range 10 {
		tests = append(tests, fmt.Sprintf("Count the cars of garage number %d.", i))
	}
	b, open := fresh(t, nodes(), tests...)
	var picks []prompts.BriefPick
	for i := range 10 {
		picks = append(picks, prompts.BriefPick{Test: fmt.Sprint("t", i+1), Memory: "m2", Because: "Count the cars"})
	}
	got := b.take(&open[0], picks, ReaderInfo{})
	require.Zero(t, got.Tests)
	require.NotNil(t, got.Again)
	require.Contains(t, got.Refused[0], "m2 is named for 10 of 10 tests")
	got = b.take(got.Again, picks[:3], ReaderInfo{})
	require.Equal(t, 3, got.Told)
	require.Equal(t, 10, got.Tests)
}

// TestOnlyWhatIsNew: once read, a test is sent with new and rewritten memories alone, and its picks of the others
// stay.
func TestOnlyWhatIsNew(t *testing.T) {
	all := nodes()
	b, open := fresh(t, all, hire)
	b.take(&open[0], []prompts.BriefPick{{Test: "t1", Memory: "m2", Because: "at least 15 cars"}}, ReaderInfo{})
	tests := []UpcomingTest{{Prompt: hire}}
	require.Empty(t, b.Plan(tests, QuestionLimits{}, nil), "nothing is new")

	all = append(all, wrong("c_7", "Rent a van", "took the wrong currency"))
	all[0].Content.Guidance = "Reload the page, then read the value."
	b.Learn(Memories(all, nil))
	f, ok := b.Find(&tests[0])
	require.True(t, ok)
	require.False(t, b.Unread(&f, "c_2"))
	require.True(t, b.Unread(&f, "c_7"))
	require.True(t, b.Unread(&f, "e_1"), "it was rewritten")
	require.False(t, b.Unread(&f, "c_1"), "a lesson stands for it")
	open = b.Plan(tests, QuestionLimits{}, nil)
	require.Len(t, open, 1)
	require.Equal(t, []string{"e_1", "c_7"}, open[0].lines)
	b.take(&open[0], []prompts.BriefPick{{Test: "t1", Memory: "m2", Because: "Car hire"}}, ReaderInfo{})
	f, _ = b.Find(&tests[0])
	require.Equal(t, "c_7", f.Picks[0].ID)
	require.Equal(t, "c_2", f.Picks[1].ID)

	b.Learn(Memories(all[:2], nil))
	f, _ = b.Find(&tests[0])
	require.Empty(t, f.Picks, "picks of memories that are gone go with them")
}

// TestFind: white space is no difference; a test of the same id may be worded a little differently.
func TestFind(t *testing.T) {
	b := New()
	x := UpcomingTest{ID: "CAR_1", Prompt: hire, Product: "travel"}
	require.NoError(t, b.Note(x, x.Prompt))
	b.Learn(Memories(nodes(), nil))
	_, ok := b.Find(&x)
	require.False(t, ok, "nothing was read")
	open := b.Plan([]UpcomingTest{x}, QuestionLimits{}, nil)
	b.take(&open[0], nil, ReaderInfo{})
	for _, c := range []struct {
		name string
		test UpcomingTest
		want bool
	}{
		{"itself", x, true},
		{"white space", UpcomingTest{Prompt: strings.ReplaceAll(hire, " ", "\n  "), Product: "travel"}, true},
		{"another product", UpcomingTest{ID: "CAR_1", Prompt: hire, Product: "bank"}, false},
		{"nearly the same", UpcomingTest{ID: "CAR_1", Prompt: hire + ".", Product: "travel"}, true},
		{"the same id, another task", UpcomingTest{ID: "CAR_1", Prompt: "Book a van", Product: "travel"}, false},
		{"nearly the same of another id", UpcomingTest{ID: "CAR_2", Prompt: hire + ".", Product: "travel"}, false},
	} {
		_, ok := b.Find(&c.test)
		require.Equal(t, c.want, ok, c.name)
	}
}

// TestSaveLoad: a book comes back as it was, and the same book gives the same bytes.
func TestSaveLoad(t *testing.T) {
	b, open := fresh(t, nodes(), hire, "Say hello", "Save the address and reload")
	pick := prompts.BriefPick{Test: "t1", Memory: "m2", Because: open[0].In.Tests[0].Prompt[:9]}
	b.take(&open[0], []prompts.BriefPick{pick}, ReaderInfo{By: "r", At: monday})
	var first, second bytes.Buffer
	require.NoError(t, b.Save(&first))
	again, err := Load(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	require.NoError(t, again.Save(&second))
	require.Equal(t, first.String(), second.String())
	again.Learn(Memories(nodes(), nil))
	require.Empty(t, again.Plan(again.Since(monday), QuestionLimits{}, nil), "nothing is read twice")
	require.Equal(t, b.Known(), again.Known())
}

// TestPlanIsBounded: questions have at most so many tests and memories; lessons and what is near come first.
func TestPlanIgnoresOrder(t *testing.T) {
	b := New()
	list := expect(t, b, monday, hire, "Save the address", "Edit the companion", "Print the ticket", "Undo the change")
	b.Learn(Memories(nodes(), nil))
	small := QuestionLimits{Tests: 2}
	want := b.Plan(list, small, nil)
	require.Len(t, want, 3)
	slices.Reverse(list)
	require.Equal(t, want, b.Plan(list, small, nil), "a list sorted anew asks what was answered")
}

func TestPlanIsBounded(t *testing.T) {
	all := nodes()
	for i := range 200 {
		all = append(all, wrong(fmt.Sprintf("c_%03d", i+100), fmt.Sprint("task ", i), "note"))
	}
	var tests []string
	for i := range 100 {
		tests = append(tests, fmt.Sprintf("Do task number %d", i))
	}
	b := New()
	list := expect(t, b, monday, tests...)
	b.Learn(Memories(all, nil))
	open := b.Plan(list, QuestionLimits{Tests: 40, Memories: 20}, func(*UpcomingTest) []string {
		return []string{"c_250",
			"c_260"}
	})
	require.Len(t, open, 3)
	seen := 0
	for i := range open {
		n, m := open[i].Size()
		seen += n
		require.LessOrEqual(t, n, 40)
		require.Equal(t, 20, m)
		require.Contains(t, open[i].lines, "e_1")
		require.Contains(t, open[i].lines, "c_250")
		require.Contains(t, open[i].lines, "c_260")
	}
	require.Equal(t, 100, seen)
}

func TestForget(t *testing.T) {
	b := New()
	expect(t, b, monday, "old")
	expect(t, b, monday.Add(100*24*time.Hour), "new")
	b.Forget(monday.Add(time.Hour))
	require.Equal(t, 1, b.Known().Tests)
}

func TestHostileTests(t *testing.T) {
	b := New()
	for range 10_000 {
		expect(t, b, monday, hire)
	}
	expect(t, b, monday, strings.Repeat("long ", 10_000), "  ")
	require.Equal(t, 2, b.Known().Tests, "equal tests are one, and a long one is cut")
	b.Learn(Memories(nodes(), nil))
	for _, q := range b.Plan(b.Since(monday), QuestionLimits{}, nil) {
		for _, x := range q.In.Tests {
			require.LessOrEqual(t, len(x.Prompt), 4*mostPrompt)
		}
	}
}

func FuzzLoad(f *testing.F) {
	b, _ := fresh(&testing.T{}, nodes(), hire)
	var saved bytes.Buffer
	_ = b.Save(&saved)
	f.Add(saved.Bytes())
	f.Add([]byte(`{"version":1,"last":2,"memories":{"c":{"n":3}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Load(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, b.Save(&out))
		_, err = Load(&out)
		require.NoError(t, err)
	})
}

// FuzzTake: no answer breaks the book or brings in a memory that was not in the question.
func FuzzTake(f *testing.F) {
	f.Add(`{"told":[{"t":"t1","m":"m1","because":"cars","say":"Wait."}]}`)
	f.Fuzz(func(t *testing.T, answer string) {
		b, open := fresh(t, nodes(), hire)
		picks, err := open[0].In.Read([]byte(answer))
		if err != nil {
			return
		}
		b.take(&open[0], picks, ReaderInfo{})
		if x, ok := b.Find(&UpcomingTest{Prompt: hire}); ok {
			require.LessOrEqual(t, len(x.Picks), mostPicks)
			for _, p := range x.Picks {
				require.Contains(t, []string{"e_1", "c_2"}, p.ID)
			}
		}
	})
}

// TestJoin: of two books the one that has read more goes on, with the tests of the other one to be read, whichever of
// the two comes first; what it has read stays.
func TestJoin(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	books := func() (reader, other *Book) {
		reader, other = New(), New()
		for i, b := range []*Book{reader, other} {
			b.Learn([]Material{{ID: "m1", Line: "a line"}})
			require.NoError(t, b.Note(UpcomingTest{Prompt: "Check the cart", Seen: noon}, "Check the cart"))
			own := fmt.Sprint("Check page ", i)
			require.NoError(t, b.Note(UpcomingTest{Prompt: own, Seen: noon}, own))
		}
		for _, q := range reader.Plan(reader.Since(time.Time{}), QuestionLimits{}, nil) {
			reader.take(&q, nil, ReaderInfo{By: "m", At: noon})
		}
		return reader, other
	}
	reader, other := books()
	require.Equal(t, 2, reader.Known().Read)
	joined, more := Join(reader, other)
	require.True(t, more)
	require.Equal(t, BookStats{Tests: 3, Read: 2, New: 1, Open: 1}, joined.Known())
	reader, other = books()
	again, more := Join(other, reader)
	require.True(t, more)
	require.Equal(t, joined.Known(), again.Known())
	_, more = Join(again, other)
	require.False(t, more)
}
