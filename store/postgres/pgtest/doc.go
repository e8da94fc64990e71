// Package pgtest starts a PostgreSQL server for tests, in a folder that is removed with it. As root it runs the server
// as another user, because PostgreSQL refuses to run as root. Only tests use it.
package pgtest
