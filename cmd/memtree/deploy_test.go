package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store/postgres"
)

const deployFolder = "../../deploy"

func readYAML(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(deployFolder, path))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(b, v), path)
}

// TestCompose: the services of the compose file are three nodes of one cluster, with a synchronous standby, and two
// memtree services on one tree, each with a journal of its own.
func TestCompose(t *testing.T) {
	var c struct {
		Services map[string]struct {
			Image       string            `yaml:"image"`
			Restart     string            `yaml:"restart"`
			Environment map[string]string `yaml:"environment"`
			Volumes     []string          `yaml:"volumes"`
			Build       struct{ Context, Dockerfile string }
		} `yaml:"services"`
		Volumes map[string]any `yaml:"volumes"`
	}
	readYAML(t, "compose/compose.yaml", &c)
	volumes, stores, count := map[string]bool{}, map[string]bool{}, map[string]int{}
	for name, s := range c.Services {
		require.NotEmpty(t, s.Restart, name)
		kind := strings.TrimRight(name, "123")
		count[kind]++
		own := kind + name[len(kind):]
		require.True(t, strings.HasPrefix(s.Volumes[0], own+":/"), "%s has another's volume", name)
		volumes[own] = true
		require.Contains(t, c.Volumes, own)
		switch kind {
		case "etcd":
			require.Regexp(t, `:v3\.\d+\.\d+$`, s.Image)
			require.Contains(t, s.Environment["ETCD_INITIAL_CLUSTER"], name+"=http://"+name+":2380")
		case "db":
			require.Equal(t, name, s.Environment["PATRONI_NAME"])
			require.Equal(t, name+":5432", s.Environment["PATRONI_POSTGRESQL_CONNECT_ADDRESS"])
		case "memtree":
			require.Equal(t, "/store", s.Environment["MEMTREE_LOCAL"])
			require.FileExists(t, filepath.Join(deployFolder, "compose", s.Build.Context, s.Build.Dockerfile))
			stores[s.Environment["MEMTREE_STORE"]] = true
		}
	}
	require.Equal(t, map[string]int{"etcd": 3, "db": 3, "memtree": 2}, count)
	require.Len(t, volumes, 8)
	require.Len(t, stores, 1, "both serve one tree")
	for url := range stores {
		_, err := postgres.Parse(url)
		require.NoError(t, err)
		require.Contains(t, url, "@db1,db2,db3/")
	}
	var p struct {
		Bootstrap struct {
			DCS struct {
				Synchronous bool `yaml:"synchronous_mode"`
				TTL, Loop   int
			} `yaml:"dcs"`
		} `yaml:"bootstrap"`
	}
	readYAML(t, "compose/patroni.yml", &p)
	require.True(t, p.Bootstrap.DCS.Synchronous)
	b, err := os.ReadFile(filepath.Join(deployFolder, "compose/Patroni.Containerfile"))
	require.NoError(t, err)
	require.Regexp(t, `patroni\[etcd3\]>=4\.[1-9]`, string(b), "the one that the faults were tried with")
}

// TestChart renders the chart, if helm is here, and holds what comes out against the schemas of Kubernetes, if
// kubernetes-validate is (pip install kubernetes-validate). What the chart must be given is a sentence.
func TestChart(t *testing.T) {
	var chart, values map[string]any
	readYAML(t, "helm/memtree/Chart.yaml", &chart)
	require.Equal(t, "memtree", chart["name"])
	readYAML(t, "helm/memtree/values.yaml", &values)
	b, err := os.ReadFile(filepath.Join(deployFolder, "helm/memtree/templates/memtree.yaml"))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`\.Values\.(\w+)`).FindAllStringSubmatch(string(b), -1) {
		require.Contains(t, values, m[1])
	}
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not here: the chart was not rendered")
	}
	run := func(in []byte, name string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), name, args...) //nolint:gosec // its arguments are below
		c.Stdin = bytes.NewReader(in)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	folder, given := filepath.Join(deployFolder, "helm/memtree"), filepath.Join(deployFolder, "helm/values.test.yaml")
	out, err := run(nil, helm, "template", "shop", folder, "--namespace", "qa", "--kube-version", "1.33.0", "-f", given)
	require.NoError(t, err, out)
	for _, want := range []string{"kind: StatefulSet", "postgres://memtree@db1,db2,db3/memtree?tree=shop", "shop.qa.svc",
		"secretName: memtree-tokens", "key: password", "storageClassName: fast"} {
		require.Contains(t, out, want)
	}
	refused, err := run(nil, helm, "template", "shop", folder, "--kube-version", "1.33.0")
	require.Error(t, err)
	require.Contains(t, refused, "is missing")
	linted, err := run(nil, helm, "lint", folder, "--kube-version", "1.33.0", "-f", given)
	require.NoError(t, err, linted)
	validate, err := exec.LookPath("kubernetes-validate")
	if err != nil {
		t.Log("kubernetes-validate is not here: what comes out was not held against the schemas of Kubernetes")
		return
	}
	path := filepath.Join(t.TempDir(), "out.yaml")
	require.NoError(t, os.WriteFile(path, []byte(out), 0o600))
	for _, version := range []string{"1.25", "1.33"} {
		said, err := run(nil, validate, "--strict", "-k", version, path)
		require.NoError(t, err, said)
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(out, "replicas:", "replica:")), 0o600))
	_, err = run(nil, validate, "--strict", "-k", "1.33", path)
	require.Error(t, err, "a field that does not exist is not seen")
}
