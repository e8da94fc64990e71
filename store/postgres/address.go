package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Address is where a tree is: the URL of a database, with the parameters tenant and tree. A password in it is never
// part of what its methods return, except for the configuration of the connections.
type Address struct {
	Tenant, Tree string
	shown        string
	ownPool      bool // the URL has a size of the pool
	config       *pgxpool.Config
}

// IsURL reports whether a name of a store is the URL of a database.
func IsURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// Parse reads a URL such as postgres://user@host:5432/db?tenant=acme&tree=shop. tenant and tree are "default" if they
// are missing. PGPASSWORD, PGPASSFILE and the other variables of libpq apply. An error never has the password.
func Parse(raw string) (Address, error) {
	u, err := url.Parse(raw)
	if err != nil { // whose text may quote the password
		return Address{}, errors.New("the URL of the database is not one; write postgres://user@host:5432/database, " +
			"with what is special in a password escaped, or put that into PGPASSWORD")
	}
	if !IsURL(raw) {
		return Address{}, fmt.Errorf("the URL begins with %q; write postgres://", u.Scheme)
	}
	q := u.Query()
	a := Address{Tenant: take(q, "tenant"), Tree: take(q, "tree")}
	for _, name := range []string{a.Tenant, a.Tree} {
		if !nameOK(name) {
			return Address{}, fmt.Errorf("the URL has %q for a tenant or tree; "+
				"use up to 64 of a-z, 0-9, - and _, a letter or digit first", name)
		}
	}
	if strings.Contains(u.Host, ",") && q.Get("target_session_attrs") == "" {
		q.Set("target_session_attrs", "primary") // a failover makes another of the hosts the primary
	}
	a.ownPool = q.Has("pool_max_conns")
	u.RawQuery = q.Encode()
	if a.config, err = pgxpool.ParseConfig(u.String()); err != nil {
		return Address{}, fmt.Errorf("the URL of the database cannot be used: %s", scrub(err.Error(), raw))
	}
	a.shown = fmt.Sprintf("postgres://%s@%s/%s?tenant=%s&tree=%s", a.config.ConnConfig.User, u.Host,
		a.config.ConnConfig.Database, a.Tenant, a.Tree)
	return a, nil
}

// take removes a parameter and returns its value, unnamed if it is missing.
func take(q url.Values, name string) string {
	v := q.Get(name)
	q.Del(name)
	if v == "" {
		return unnamed
	}
	return v
}

// scrub removes the password of a URL from a text, in every form that an error may quote.
func scrub(text, raw string) string {
	_, rest, _ := strings.Cut(raw, "://")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		_, password, _ := strings.Cut(rest[:i], ":")
		plain, err := url.PathUnescape(password)
		if err != nil {
			plain = password
		}
		for _, p := range []string{rest[:i], password, plain} {
			if p != "" {
				text = strings.ReplaceAll(text, p, "xxxxx")
			}
		}
	}
	return text
}

// Unnamed reports whether the URL names neither a tenant nor a tree, so that both are "default".
func (a Address) Unnamed() bool { return a.Tenant == unnamed && a.Tree == unnamed }

// unnamed is the name of a tenant or tree that the URL does not name.
const unnamed = "default"

// String returns the URL without its password.
func (a Address) String() string { return a.shown }

// nameOK reports whether s is a valid name of a tenant or tree.
func nameOK(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' || s[0] == '_' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) < 0
}
