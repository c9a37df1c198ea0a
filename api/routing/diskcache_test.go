package routing

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/db/store"
)

// TestTheCopyKeepsEveryFlow checks that the flows of all campaigns come back from disk unchanged. The flows have different sizes,
// and the campaigns fill more than one batch.
func TestTheCopyKeepsEveryFlow(t *testing.T) {
	t.Parallel()
	records := &store.Routing{Rows: []store.RoutingRow{
		&store.RoutingAccount{ID: uuid.New()}, &store.RoutingOffer{ID: uuid.New(), URL: "https://o.test/"},
	}}
	want := map[string]string{}
	for i := range 2*copyBatch + 3 {
		c := &store.RoutingCampaign{ID: uuid.New(), Alias: strconv.Itoa(i), Streams: streams(i % 30)}
		records.Rows = append(records.Rows, c)
		want[c.Alias] = string(c.Streams)
	}
	path := filepath.Join(t.TempDir(), "routing.copy")
	if err := WriteDiskCache(path, Compile(records)); err != nil {
		t.Fatal(err)
	}
	got, err := ReadDiskCache(path)
	if err != nil {
		t.Fatal(err)
	}
	campaigns, offers := store.RoutingRows[*store.RoutingCampaign](got), store.RoutingRows[*store.RoutingOffer](got)
	if len(campaigns) != len(want) || len(offers) != 1 || len(got.Rows) != len(records.Rows) {
		t.Fatalf("the copy has %d campaigns, %d offers and %d rows, want %d, 1 and %d",
			len(campaigns), len(offers), len(got.Rows), len(want), len(records.Rows))
	}
	for _, c := range campaigns {
		if string(c.Streams) != want[c.Alias] {
			t.Fatalf("the flow of campaign %s came back from disk as %.80q", c.Alias, c.Streams)
		}
	}
}

func streams(n int) []byte {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf(`{"id":%q,"name":"path %d","action":"redirect","destinations":[{"url":"https://e.test/%d"}]}`, uuid.New(), i, i)
	}
	return []byte("[" + strings.Join(paths, ",") + "]")
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := bytes.Repeat([]byte(rapid.String().Draw(rt, "text")), rapid.IntRange(0, 2000).Draw(rt, "times"))
		p := compress(text)
		if !bytes.Equal(p.text(), text) {
			rt.Fatalf("a text of %d bytes is different after compression and decompression", len(text))
		}
		if len(text) > 0 && len(p.bytes) > len(text) {
			rt.Fatalf("compression made a text of %d bytes larger: %d bytes", len(text), len(p.bytes))
		}
	})
}
