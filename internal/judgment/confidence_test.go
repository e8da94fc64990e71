package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

func TestConfidence(t *testing.T) {
	for said, want := range map[string]float64{
		`{"verdict":"pass","confidence":0.85}`: 0.85, `{"verdict":"pass","Confidence_Score":85}`: 0.85,
		`{"verdict":"pass","confidence":"85 %"}`: 0.85, `{"结论":"通过","置信度":"高"}`: 0.8, `{"confidence":"Very high"}`: 0.95,
		`{"confidence":1}`: 1, `{"confidence":0}`: 0,
		`{"verdict":"pass"}`: -1, `{"confidence":-3}`: -1, `{"confidence":400}`: -1, `{"confidence":"so so"}`: -1,
		`{"confidence":null}`: -1, `{"confidence":"NaN"}`: -1, `"pass"`: -1, `0.9`: -1,
	} {
		sure, ok := judgment.Confidence(judgment.Decode(tree.Raw(said)))
		require.Equal(t, want >= 0, ok, said)
		if ok {
			require.InDelta(t, want, sure, 1e-9, said)
		}
	}
}
