module github.com/memtree/memtree/quality/peers

go 1.26.0

require github.com/memtree/memtree v0.0.0

require (
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/hashicorp/golang-lru/v2 v2.0.7 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/memtree/memtree => ../..
