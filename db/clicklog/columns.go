package clicklog

import (
	"database/sql/driver"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/models"
)

// StoredClick is a click as PostgreSQL has it: as it was routed, and what was decided and happened since. Its Cost
// is final.
type StoredClick struct {
	models.Click
	At        time.Time // the time inside the id
	IsUnique  bool
	LPViews   int
	LPClicks  int
	LPSlot    int       // of the last click-out, 0 = none
	LastHopID uuid.UUID // the last click-out
}

// column is one column of the table clicks: the pointer serves to write and to read it.
type column struct {
	name string
	at   func(*StoredClick) any
}

var clickColumns = []column{
	{"id", func(c *StoredClick) any { return &c.ID }},
	{"at", func(c *StoredClick) any { return &c.At }},
	{"account_id", func(c *StoredClick) any { return &c.AccountID }},
	{"campaign_id", func(c *StoredClick) any { return &c.CampaignID }},
	{"parent_campaign_id", func(c *StoredClick) any { return &c.ParentCampaignID }},
	{"stream_id", func(c *StoredClick) any { return &c.StreamID }},
	{"lander_id", func(c *StoredClick) any { return &c.LanderID }},
	{"offer_id", func(c *StoredClick) any { return &c.OfferID }},
	{"network_id", func(c *StoredClick) any { return &c.NetworkID }},
	{"source_id", func(c *StoredClick) any { return &c.SourceID }},
	{"visitor_id", func(c *StoredClick) any { return &c.VisitorID }},
	{"domain", func(c *StoredClick) any { return &c.Domain }},
	{"destination", func(c *StoredClick) any { return &c.Destination }},
	{"arrival", func(c *StoredClick) any { return &c.Arrival }},
	{"external_id", func(c *StoredClick) any { return &c.ExternalID }},
	{"subs", func(c *StoredClick) any { return (*subsValue)(&c.Subs) }},
	{"params", func(c *StoredClick) any { return &c.Params }},
	{"ip", func(c *StoredClick) any { return (*addrValue)(&c.IP) }},
	{"user_agent", func(c *StoredClick) any { return &c.UserAgent }},
	{"referrer", func(c *StoredClick) any { return &c.Referrer }},
	{"referrer_domain", func(c *StoredClick) any { return &c.ReferrerDomain }},
	{"keyword", func(c *StoredClick) any { return &c.Keyword }},
	{"search_engine", func(c *StoredClick) any { return &c.SearchEngine }},
	{"language", func(c *StoredClick) any { return &c.Language }},
	{"country", func(c *StoredClick) any { return &c.Country }},
	{"region", func(c *StoredClick) any { return &c.Region }},
	{"city", func(c *StoredClick) any { return &c.City }},
	{"isp", func(c *StoredClick) any { return &c.ISP }},
	{"asn", func(c *StoredClick) any { return &c.ASN }},
	{"mobile_operator", func(c *StoredClick) any { return &c.MobileOperator }},
	{"connection_type", func(c *StoredClick) any { return &c.ConnectionType }},
	{"proxy_kind", func(c *StoredClick) any { return &c.ProxyKind }},
	{"device_type", func(c *StoredClick) any { return &c.DeviceType }},
	{"device_brand", func(c *StoredClick) any { return &c.DeviceBrand }},
	{"device_model", func(c *StoredClick) any { return &c.DeviceModel }},
	{"os", func(c *StoredClick) any { return &c.OS }},
	{"os_version", func(c *StoredClick) any { return &c.OSVersion }},
	{"browser", func(c *StoredClick) any { return &c.Browser }},
	{"browser_version", func(c *StoredClick) any { return &c.BrowserVersion }},
	{"is_bot", func(c *StoredClick) any { return &c.IsBot }},
	{"bot_score", func(c *StoredClick) any { return &c.BotScore }},
	{"bot_signals", func(c *StoredClick) any { return (*bitsValue)(&c.BotSignals) }},
	{"bot_reason", func(c *StoredClick) any { return &c.BotReason }},
	{"cost", func(c *StoredClick) any { return &c.Cost }},
	{"unique_cost", func(c *StoredClick) any { return &c.UniqueCost }},
	{"currency", func(c *StoredClick) any { return &c.Currency }},
	{"conversion_cost", func(c *StoredClick) any { return &c.ConversionCost }},
	{"revenue_share", func(c *StoredClick) any { return &c.RevenueShare }},
	{"unique_key", func(c *StoredClick) any { return (*uuid.UUID)(&c.UniqueKey) }},
	{"unique_hours", func(c *StoredClick) any { return &c.UniqueHours }},
	{"is_unique", func(c *StoredClick) any { return &c.IsUnique }},
	{"lp_views", func(c *StoredClick) any { return &c.LPViews }},
	{"lp_clicks", func(c *StoredClick) any { return &c.LPClicks }},
	{"lp_slot", func(c *StoredClick) any { return &c.LPSlot }},
	{"last_hop_id", func(c *StoredClick) any { return &c.LastHopID }},
	{"route_seed", func(c *StoredClick) any { return (*bitsValue)(&c.RouteSeed) }},
	{"flow_hash", func(c *StoredClick) any { return (*bitsValue)(&c.FlowHash) }},
	{"via", func(c *StoredClick) any { return &c.Via }},
}

var clickColumnList = func() string {
	names := make([]string, len(clickColumns))
	for i, c := range clickColumns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}()

// clickPointers gives the pointers of all columns of c, in the order of clickColumnList.
func clickPointers(dst []any, c *StoredClick) []any {
	for i := range clickColumns {
		dst = append(dst, clickColumns[i].at(c))
	}
	return dst
}

// subsValue stores the sub-parameters as an array that ends with the last one set.
type subsValue [models.Subs]string

// Value implements driver.Valuer.
func (v *subsValue) Value() (driver.Value, error) {
	n := len(v)
	for n > 0 && v[n-1] == "" {
		n--
	}
	if n == 0 {
		return "{}", nil
	}
	return pq.StringArray(v[:n]).Value()
}

// Scan implements sql.Scanner.
func (v *subsValue) Scan(src any) error {
	var list pq.StringArray
	if err := list.Scan(src); err != nil {
		return err
	}
	*v = subsValue{}
	copy(v[:], list)
	return nil
}

// addrValue stores an address as inet, and none as NULL.
type addrValue netip.Addr

// Value implements driver.Valuer.
func (v *addrValue) Value() (driver.Value, error) {
	if a := (*netip.Addr)(v); a.IsValid() {
		return a.WithZone("").String(), nil
	}
	return nil, nil //nolint:nilnil // NULL
}

// Scan implements sql.Scanner.
func (v *addrValue) Scan(src any) error {
	*v = addrValue{}
	var text string
	switch s := src.(type) {
	case nil:
		return nil
	case []byte:
		text = string(s)
	case string:
		text = s
	}
	text, _, _ = strings.Cut(text, "/")
	a, err := netip.ParseAddr(text)
	if err != nil {
		return fmt.Errorf("clicklog: address: %w", err)
	}
	*v = addrValue(a)
	return nil
}

// bitsValue stores 64 bits in a bigint, whose sign they may set.
type bitsValue uint64

// Value implements driver.Valuer.
func (v *bitsValue) Value() (driver.Value, error) { return int64(*v), nil } //nolint:gosec // the same bits come back

// Scan implements sql.Scanner.
func (v *bitsValue) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("clicklog: bits: %T", src)
	}
	*v = bitsValue(n) //nolint:gosec // as above
	return nil
}
