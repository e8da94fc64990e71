package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParse: a URL gives tenant, tree and hosts, and nothing of it shows the password.
func TestParse(t *testing.T) {
	for raw, want := range map[string]string{
		"postgres://ann@h/db": "postgres://ann@h/db?tenant=default&tree=default",
		"postgresql://ann:s3cret@h:5433/db?tenant=acme&tree=s1": "postgres://ann@h:5433/db?tenant=acme&tree=s1",
		"postgres://ann:s3cret@h1:5433,h2:5434/db?sslmode=disable": "postgres://ann@h1:5433,h2:5434/db?" +
			"tenant=default&tree=default&sslmode=disable",
		"postgres://an%20n@h/db?password=s3cret&sslmode=verify-full": "postgres://an%20n@h/db?tenant=default&tree=default" +
			"&sslmode=verify-full",
	} {
		a, err := Parse(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, a.String())
		require.NotContains(t, a.config.ConnConfig.RuntimeParams, "tenant")
	}
	a, err := Parse("postgres://ann@h1,h2/db")
	require.NoError(t, err)
	require.NotNil(t, a.config.ConnConfig.ValidateConnect, "of several hosts the primary is taken")
}

// TestParseMistakes: a URL that cannot be used is a sentence without its password.
func TestParseMistakes(t *testing.T) {
	for raw, want := range map[string]string{
		"mysql://ann@h/db":                               "write postgres://",
		"postgres://ann:s3%ret@h/db":                     "the URL of the database is not one",
		"postgres://ann:s3cret/x@h:12/db":                "the URL of the database is not one",
		"postgres://ann:s3cret@h:port/db":                "the URL of the database",
		"postgres://ann:s3cret@h/db?sslmode=sometimes":   "cannot be used",
		"postgres://ann:s3cret@h/db?tree=A B":            `"A B" for a tenant or tree`,
		"postgres://ann:s3cret@h/db?tenant=../../x":      "for a tenant or tree",
		"postgres://ann:s3cret@h/db?connect_timeout=now": "cannot be used",
	} {
		_, err := Parse(raw)
		require.ErrorContains(t, err, want, raw)
		require.NotContains(t, err.Error(), "s3cret", raw)
		require.NotContains(t, err.Error(), "s3%ret", raw)
	}
	_, err := Parse("postgres://postgres@h/db?sslmode=sometimes")
	require.ErrorContains(t, err, "postgres://postgres@h/db", "there is no password to hide")
}

// FuzzParse: no URL makes Parse panic, and no error has its password.
func FuzzParse(f *testing.F) {
	f.Add("postgres://ann:s3cret@h/db?tenant=a&tree=b")
	f.Add("postgres://ann:s3%ret@[::1]:5432,h2/db")
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := Parse(raw)
		if err == nil {
			require.NotEmpty(t, a.String())
		}
	})
}
