package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
)

// TestReplayPageIsInert puts hostile texts into the page.
func TestReplayPageIsInert(t *testing.T) {
	half := 0.5
	r := effect.RiskMeasure{
		N: 2, Wrong: 1, AUC: &half,
		Reliability: []effect.CalibrationBin{{N: 1, P: 0.5, Wrong: 1}},
		Gain:        []effect.ReviewGain{{}, {Read: 1, Found: 1, Nearest: 1}},
	}
	hostile := predicted{
		risky: risky{
			Evaluation: `"><img src=x onerror=alert(1)>`,
			prompt:     `</td></table><script>alert("x")</script>`,
		},
		wrong: true,
	}
	page, err := replayPage()
	require.NoError(t, err)
	var b bytes.Buffer
	a, _ := inTest()
	require.NoError(t, page.Execute(&b, replayPageData(a.Voice, &r, []predicted{hostile})))
	require.NotContains(t, b.String(), "<script")
	require.NotContains(t, b.String(), "<img")
	require.Contains(t, b.String(), "&lt;script&gt;")
	require.Contains(t, b.String(), `points="50,290 410,20"`)
}
