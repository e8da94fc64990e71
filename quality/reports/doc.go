// Package reports measures what it takes to record reports of 100 MB: time, and memory of the whole process. It is no
// part of memtree. make reports runs it.
package reports
