package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

// modelIn returns the model of an environment, given as names and values in turn.
func modelIn(t *testing.T, kv ...string) *Model {
	t.Helper()
	env := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		env[kv[i]] = kv[i+1]
	}
	dir := t.TempDir()
	return &Model{
		Voice:  say.New(say.Process{Getenv: func(name string) string { return env[name] }}),
		Folder: func() string { return dir },
	}
}

// TestNoModel: without a model nothing is opened, and a command that answers at once needs no stand-in.
func TestNoModel(t *testing.T) {
	m := modelIn(t, "OPENAI_API_KEY", "sk-of-another-program")
	g, err := m.Generator(true)
	require.NoError(t, err)
	require.Nil(t, g)
	require.Nil(t, m.Later())
	e, err := m.Embedder()
	require.NoError(t, err)
	require.Nil(t, e)
	require.False(t, m.Metered())
	c, err := m.Config()
	require.NoError(t, err)
	require.Contains(t, m.Line(c), "none set")
}

// TestWrongSetting: it stops a command that asks the model, and not one that answers at once.
func TestWrongSetting(t *testing.T) {
	m := modelIn(t, "MEMTREE_LLM_MODEL", "sk-1234567890")
	_, err := m.Generator(true)
	require.ErrorContains(t, err, "MEMTREE_LLM_MODEL looks like a key")
	require.NotNil(t, m.Later())
}

// TestBounds: a bound that cannot be kept is refused.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		b    callLimits
		env  []string
		want string // "": no error
	}{
		{"none", callLimits{}, nil, ""},
		{"calls below 0", callLimits{Calls: new(-1)}, nil, "--max-calls is -1"},
		{"cost below 0", callLimits{Cost: new(-1.0)}, nil, "--max-cost is -1"},
		{"time below 0", callLimits{Time: -1}, nil, "--max-time is -1ns"},
		{"price of one part", callLimits{price: "3"}, nil, `the price is "3"`},
		{"cost without a price", callLimits{Cost: new(1.0)}, nil, "--max-cost needs to know what tokens cost"},
		{"cost with a price", callLimits{Cost: new(1.0), price: "0.15,0.60"}, nil, ""},
		{"cost with the price of a variable", callLimits{Cost: new(1.0)}, []string{priceVariable, "0.15,0.60"}, ""},
		{"price of texts", callLimits{}, []string{embedPriceVariable, "x"}, embedPriceVariable + ` is "x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := modelIn(t, c.env...)
			m.callLimits = c.b
			err := m.Check()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestCost: a cost is unknown where its price is, and adds up to unknown.
func TestCost(t *testing.T) {
	require.Equal(t, 3.0, Plus(1.0, 2.0))
	require.Equal(t, Unknown, Plus(1.0, Unknown))
	require.Equal(t, "0.15", Amount(0.15))
	require.Equal(t, "0.0000012", Amount(0.0000012))
	require.Equal(t, "0", Amount(0))
}
