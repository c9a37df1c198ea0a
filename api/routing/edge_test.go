package routing

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// mesh returns an account with n campaigns. Each campaign can hand visitors over to `next` others, and its flow has about `size`
// bytes.
func mesh(n, next, size int) *store.Routing {
	account, domain := uuid.New(), uuid.New()
	r := &store.Routing{Rows: []store.RoutingRow{
		&store.RoutingAccount{ID: account, Timezone: "UTC"},
		&store.RoutingDomain{ID: domain, Host: "go.example.test", AccountID: uuid.NullUUID{UUID: account, Valid: true}},
	}}
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = uuid.New()
	}
	for i, id := range ids {
		var paths []map[string]any
		for k := range next {
			paths = append(paths, map[string]any{
				"id": uuid.New(), "name": strings.Repeat("x", size/next), "stream_type": "regular", "action": "campaign", "weight": 10,
				"is_active": true, "campaign_id": ids[(i+k+1)%n],
			})
		}
		streams, _ := json.Marshal(paths)
		r.Rows = append(r.Rows, &store.RoutingCampaign{
			ID: id, AccountID: account, DomainID: domain, Name: "c", Alias: fmt.Sprint("campaign-", i), Status: "active", FlowRotation: "position",
			Streams: streams, CostModel: "cpc", Currency: "EUR", DestinationURL: "https://shop.example/",
		})
	}
	return r
}

// TestEdgeBounds: the bundles of an account stay within the limits, even if each of its campaigns can hand over to many others.
// Campaigns beyond the limits are not published, so the service routes them itself.
func TestEdgeBounds(t *testing.T) {
	t.Parallel()
	compile := func(r *store.Routing, most, work int) (bytesKept int, large []bool) {
		t.Helper()
		list, err := NewExplainer(r).Snapshot().edgeBundles(most, work)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range list {
			if b.Value == nil && !reflect.DeepEqual(b.Origin, []string{models.EdgeTooLarge}) {
				t.Errorf("%s is left out because of %s, want bundles left out only because of their size", b.Key, b.Origin)
			}
			bytesKept += len(b.Value)
			large = append(large, b.Value == nil)
		}
		return bytesKept, large
	}
	count := func(large []bool) (n int) {
		for _, isLarge := range large {
			if isLarge {
				n++
			}
		}
		return n
	}

	small := mesh(40, 4, 400) // each bundle has 13 campaigns
	allBytes, large := compile(small, 1<<30, 1<<30)
	if count(large) != 0 || len(large) != 40 || allBytes < 40*13*400 {
		t.Errorf("%d of %d bundles are left out, and the others have %d bytes; want 40 bundles, all kept, with at least %d bytes",
			count(large), len(large), allBytes, 40*13*400)
	}
	bytesKept, largeAtHalf := compile(small, allBytes/2, 1<<30)
	if n := count(largeAtHalf); n == 0 || n > 21 || bytesKept > allBytes/2+allBytes/20 {
		t.Errorf("with half the bytes as the limit, %d bundles are left out (want 1 to 21) and %d of %d bytes are kept", n, bytesKept, allBytes)
	}
	if _, repeated := compile(small, allBytes/2, 1<<30); !reflect.DeepEqual(repeated, largeAtHalf) {
		t.Error("another compilation leaves other campaigns to the service")
	}

	// None of these bundles fits. The compilation of a bundle stops at edgeGiveUp, so only some of the 60 campaigns are assembled.
	big := mesh(60, 20, 200<<10)
	bytesKept, large = compile(big, models.MaxEdgeAccount, 2*edgeGiveUp)
	if bytesKept != 0 || count(large) != 60 {
		t.Errorf("%d bytes are kept and %d bundles are left out, want 0 bytes and all 60 left out", bytesKept, count(large))
	}
	k := NewExplainer(big).Snapshot()
	for c := range each[*Campaign](k, campaigns) {
		parts := map[uuid.UUID]*edgePart{}
		e := k.newEdgeCompiler(find[*Domain](k, domains, c.Row.DomainID), c, parts)
		if err := e.campaigns(c, 0); err != nil || len(parts) > edgeGiveUp/(200<<10)+1 {
			t.Errorf("%d campaigns were assembled for a bundle of at most %d bytes, %v", len(parts), models.MaxEdgeBundle, err)
		}
		break
	}
}

// TestEdgeFormatOfSubParameters: scripts that know only sub1 to sub10 ignore bundles that use a higher sub-parameter, such as
// sub11, and no other bundles.
func TestEdgeFormatOfSubParameters(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		attribute string
		sub, want int
	}{
		"the tenth":         {"sub10", 10, 1},
		"a later condition": {"sub11", 1, 2},
		"a later token":     {"country", 30, 2},
		"another attribute": {"isp", 1, 1},
	} {
		k := edgePart{origin: map[string]bool{}}
		unit := cond.Portable{All: []cond.PortableCondition{{Attribute: tt.attribute, Test: "equals"}}}
		k.route(nil, nil, &flow.PortableRoute{Active: true, Units: []cond.Portable{unit}})
		k.url([]token.PortablePart{{Token: "sub", N: tt.sub}})
		if k.format != tt.want || k.origin["attribute:"+tt.attribute] {
			t.Errorf("%s: format %d, want %d; features that the script lacks: %v", name, k.format, tt.want, k.origin)
		}
	}
}

// TestEdgeNamesPatternsOfParameters: if the script cannot check a pattern for a parameter, the feature pattern:param is listed.
func TestEdgeNamesPatternsOfParameters(t *testing.T) {
	t.Parallel()
	k := edgePart{origin: map[string]bool{}}
	unit := cond.Portable{All: []cond.PortableCondition{{Attribute: "param", Param: "x", Test: cond.OriginOnly}}}
	k.route(nil, nil, &flow.PortableRoute{Active: true, Units: []cond.Portable{unit}})
	if len(k.origin) != 1 || !k.origin["pattern:param"] {
		t.Errorf("features that the script lacks: %v", k.origin)
	}
}

// TestEdgeLeavesBlockedValuesToTheService: the script knows no blocked values, so campaigns with blocked values are left to the
// service, and so are campaigns that may hand over to such a campaign.
func TestEdgeLeavesBlockedValuesToTheService(t *testing.T) {
	t.Parallel()
	r := mesh(8, 1, 10)
	blocked := r.Rows[5].(*store.RoutingCampaign) // campaign 3, which campaigns 0 to 2 reach by one to three hand-overs
	r.Rows = append(r.Rows, &store.RoutingBlockList{
		ID: uuid.New(), AccountID: blocked.AccountID, Scope: models.BlockCampaign, ScopeID: blocked.ID, Dimension: "sub1", Values: []string{"x"},
	})
	list, err := NewExplainer(r).Snapshot().EdgeBundles()
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, b := range list {
		if b.Value != nil {
			continue
		}
		if left++; !reflect.DeepEqual(b.Origin, []string{models.EdgeBlocked}) {
			t.Errorf("a campaign is left to the service because of %s, want only blocked values as a reason", b.Origin)
		}
	}
	if left != 4 {
		t.Errorf("%d campaigns are left to the service, want the blocked one and the three that may reach it", left)
	}
}
