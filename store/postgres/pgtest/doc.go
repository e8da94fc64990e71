// Package pgtest starts a PostgreSQL server of its own for tests, in a folder that is removed with it. As root it runs
// the server as another user, because PostgreSQL refuses root. It is a part of the tests.
package pgtest
