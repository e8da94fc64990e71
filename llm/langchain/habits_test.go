package langchain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHabits(t *testing.T) {
	p := serve(t, good)
	m := p.model(t, OpenAI, quick)
	require.Empty(t, m.Habits(), "nothing was learned")
	m.http.form.Store(formObject)
	m.http.lacks.Store(1 | int32(lacksEncoding))
	said := m.Habits()
	require.Contains(t, said, `"without":["encoding_format","temperature"]`)
	require.NotContains(t, said, secret)

	other, err := openModel(ModelConfig{Provider: OpenAI, Model: "m-2", BaseURL: p.URL + "/v1", APIKey: secret}, quick)
	require.NoError(t, err)
	t.Cleanup(other.Close)
	for _, s := range []string{said, "", "{", `{"of":"x"}`, "[1]"} {
		other.Adopt(s)
		require.Empty(t, other.Habits(), "what is of another model, or nothing, is ignored")
	}
	h := other.http.habitsOf("m-2")
	other.Adopt(`{"of":"` + h + `","form":99}`)
	other.Adopt(`{"of":"` + h + `","form":-1}`)
	require.Empty(t, other.Habits())
	other.Adopt(`{"of":"` + h + `","form":1,"without":["messages","temperature"]}`)
	require.Equal(t, `{"of":"`+h+`","form":1,"without":["temperature"]}`, other.Habits(), "no other parameter is left out")
}

func FuzzAdopt(f *testing.F) {
	m, err := openModel(ModelConfig{Provider: OpenAI, Model: "m", BaseURL: "http://127.0.0.1:1/v1"}, quick)
	require.NoError(f, err)
	f.Add(`{"of":"` + m.http.habitsOf("m") + `","form":2,"without":["max_tokens"]}`)
	f.Add(`{"of":1}`)
	f.Fuzz(func(t *testing.T, s string) {
		m, err := openModel(ModelConfig{Provider: OpenAI, Model: "m", BaseURL: "http://127.0.0.1:1/v1"}, quick)
		require.NoError(t, err)
		m.Adopt(s)
		said := m.Habits()
		again, err := openModel(ModelConfig{Provider: OpenAI, Model: "m", BaseURL: "http://127.0.0.1:1/v1"}, quick)
		require.NoError(t, err)
		again.Adopt(said)
		require.Equal(t, said, again.Habits())
	})
}
