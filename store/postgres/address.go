package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Address tells where a tree is: the URL of a database, with the parameters tenant and tree. No method returns the
// password in a text; only connections get it.
type Address struct {
	Tenant, Tree string
	shown        string
	key          string
	ownPool      bool // the URL has a size of the pool
	config       *pgxpool.Config
}

// IsURL reports whether s, the location of a store, is the URL of a PostgreSQL database and not a folder.
func IsURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// Parse reads a URL such as postgres://user@host:5432/db?tenant=acme&tree=shop. A missing tenant or tree is "default".
// PGPASSWORD, PGPASSFILE and the other environment variables of libpq apply. An error never contains the password.
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
	more := url.Values{}
	for name, v := range q {
		if name != "password" && name != "sslpassword" {
			more[name] = v
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
	c := a.config.ConnConfig
	at := fmt.Sprintf("@%s/%s?tenant=%s&tree=%s", u.Host, c.Database, a.Tenant, a.Tree)
	a.key = "postgres://" + c.User + at
	a.shown = "postgres://" + url.User(c.User).String() + at
	if len(more) > 0 {
		a.shown += "&" + more.Encode()
	}
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
		user, password, _ := strings.Cut(rest[:i], ":")
		if password == "" {
			return text
		}
		plain, err := url.PathUnescape(password)
		if err != nil {
			plain = password
		}
		text = strings.ReplaceAll(text, rest[:i], user+":xxxxx")
		for _, p := range []string{password, plain} {
			if !strings.Contains("postgresql://"+user+":xxxxx@"+rest[i+1:], p) { // else it is not known for one
				text = strings.ReplaceAll(text, p, "xxxxx")
			}
		}
	}
	return text
}

// Unnamed reports whether tenant and tree are both "default", as in a URL that names neither.
func (a Address) Unnamed() bool { return a.Tenant == unnamed && a.Tree == unnamed }

// unnamed is the name of a tenant or tree that the URL does not name.
const unnamed = "default"

// Key returns a text that identifies the tree: the URL without its password and without options of the connection.
func (a Address) Key() string { return a.key }

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
