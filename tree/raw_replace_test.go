package tree_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func TestReplaceTellsWhereEachStands(t *testing.T) {
	var met []string
	in := tree.Raw(`{"a":"x", "b" : ["y\n",7,{"c":-1,"d":1.5,"e":12}],"f":0,"<g>":null,"h":"z"}`)
	out, n := in.Replace(func(x tree.Scalar) (string, int) {
		met = append(met, fmt.Sprintf("%s=%s %t %t", x.Field, x.Text, x.Listed, x.Number))
		return "gone", 0
	})
	require.Zero(t, n)
	require.Equal(t, string(in), string(out))
	require.Equal(t, []string{
		"=a false false", "a=x false false",
		"=b false false", "b=y\n true false", "b=7 true true",
		"=c false false", "=d false false", "=e false false", "e=12 false true",
		"=f false false", "f=0 false true", "=<g> false false", "=h false false", "h=z false false",
	}, met)
}

func TestReplace(t *testing.T) {
	out, n := tree.Raw(`{"card": 4111, "note":"a <b>", "list":[ "x" ]}`).Replace(func(x tree.Scalar) (string, int) {
		switch {
		case x.Number, x.Listed:
			return "[" + x.Field + "]", 1
		case x.Text == "a <b>":
			return `"` + x.Text + "&", 2
		}
		return "", 0
	})
	require.Equal(t, 4, n)
	require.Equal(t, `{"card": "[card]", "note":"\"a <b>&", "list":[ "[list]" ]}`, string(out))
}

func FuzzReplace(f *testing.F) {
	torture(f, "judgment")
	f.Add([]byte(`{"a":"x","b":["y\u0041",-7,{"c":1e3}],"d":"\""}`))
	f.Add([]byte(`"cut off`))
	f.Fuzz(func(t *testing.T, b []byte) {
		same, n := tree.Raw(b).Replace(func(tree.Scalar) (string, int) { return "", 0 })
		require.Zero(t, n)
		require.Equal(t, string(b), string(same))
		out, _ := tree.Raw(b).Replace(func(x tree.Scalar) (string, int) { return x.Text, 1 })
		if json.Valid(b) {
			require.True(t, json.Valid(out), "%s became %s", b, out)
		}
	})
}
