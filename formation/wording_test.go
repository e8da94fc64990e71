package formation

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/tree"
)

// wordingFiles are fixtures, and a few Chinese runs of kinds that these lack.
var wordingFiles = []string{"shop.jsonl", "wording.zh.jsonl", "tau.jsonl", "whoandwhen.jsonl", "agentrx.jsonl"}

// formed are the cases of a file of the repository, made by rules.
func formed(t *testing.T, name string) []tree.Node {
	t.Helper()
	b, err := fs.ReadFile(fixtures.Files, name)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = os.ReadFile(filepath.Join("testdata", name))
	}
	require.NoError(t, err)
	f, m := former(t, Options{}), &memory{}
	for line := range strings.Lines(string(b)) {
		var e tree.Evaluation
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		out, err := f.Form(t.Context(), e, m)
		if _, unusable := errors.AsType[*tree.FieldError](err); unusable {
			continue
		}
		require.NoError(t, err)
		m.apply(out.Changes)
	}
	return m.nodes
}

// TestWording shows what is written of each fixture, to be read: all of the small
// file and every eighth case of the large ones.
func TestWording(t *testing.T) {
	var b strings.Builder
	for _, file := range wordingFiles {
		nodes := formed(t, file)
		require.NotEmpty(t, nodes)
		for i, n := range nodes {
			if len(nodes) > 20 && i%8 != 0 {
				continue
			}
			b.WriteString(file + " " + n.ErrorType + " " + string(n.Direction) + "\n" + n.Content.Title + "\n" + n.CaseData.ActualError + "\n" + n.Content.Guidance + "\n\n")
		}
	}
	golden.Equal(t, "testdata/wording.golden", b.String())
}

// TestWordingIsClean: no doubled marks and no ids of persons or orders, in every
// text of every fixture.
func TestWordingIsClean(t *testing.T) {
	for _, file := range wordingFiles {
		for _, n := range formed(t, file) {
			for _, s := range []string{n.Content.Guidance, n.Content.Description, n.Content.Title} {
				require.NotRegexp(t, `“[^”]*“`, s, "a quotation in a quotation of the same marks")
				for _, bad := range []string{"。”。", ".”.", "。。", "..", ",.", "；。", "：。", ":.", " .", "”””", "“”", "  ", "？。", "?.", "……。", ".;", ":”"} {
					require.NotContains(t, s, bad)
				}
			}
			require.NotRegexp(t, `[a-z]+_[a-z]+_\d{4}|#W\d{5,}`, n.Content.Guidance+n.Content.Title, "an id")
			require.False(t, truthsOf(judgment.Decode(n.CaseData.TestCase.GroundTruth), n.CaseData.TestCase.Prompt).in(n.Content.Guidance), n.Content.Guidance)
			require.False(t, forces(n.Content.Guidance))
		}
	}
}

func TestTask(t *testing.T) {
	for prompt, want := range map[string]string{
		"请检查订单表单：点击保存后状态是否变为已保存":                                                                             "检查订单表单：点击保存后状态是否变为已保存",
		"Judge whether the web agent completed this task: Tell me how many reviews there are in the store.":  "Tell me how many reviews there are in the store",
		"You are raj_brown_5782 and you want to change your flight W8765432 to a later one. You are rude.":   "change your flight … to a later one",
		"You recently bought a laptop, but you want to exchange it.":                                         "You recently bought a laptop, but you want to exchange it",
		"The sheet lists clients. How many of them live in the north?":                                       "How many of them live in the north?",
		"human: Which restaurants have vegan mains under $15?":                                               "Which restaurants have vegan mains under $15?",
		"Add 500ml and 1000ml bottles, please":                                                               "Add 500ml and 1000ml bottles, please",
		"Check “the title”":                                                                                  "Check “the title”",
		"Check the login form: a wrong password must show an error message and keep the user where they are": "Check the login form: a wrong password must show an error message and…",
	} {
		w := wording{facts: &facts{e: &tree.Evaluation{Prompt: prompt}}}
		require.Equal(t, want, w.task(hintTask))
	}
}
