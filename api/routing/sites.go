package routing

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// goalSecret is the hash of the secret with which an account's servers report goals.
type goalSecret [sha256.Size]byte

// goalSecrets returns the account's present and previous goal secret, as far as they are set.
func (a *Account) goalSecrets() (list []goalSecret) {
	for _, hash := range [][]byte{a.Row.GoalSecretHash, a.Row.OldGoalSecretHash} {
		if len(hash) == len(goalSecret{}) {
			list = append(list, goalSecret(hash))
		}
	}
	return list
}

func (a *Account) link(s *Snapshot) {
	if a.Row.SiteKey != "" {
		s.siteKeys.put(a.Row.SiteKey, a)
	}
	for _, secret := range a.goalSecrets() {
		s.goalKeys.put(secret, a)
	}
}

func (a *Account) unlink(s *Snapshot) {
	release(&s.siteKeys, a.Row.SiteKey, a)
	for _, secret := range a.goalSecrets() {
		release(&s.goalKeys, secret, a)
	}
}

// GoalSecrets returns the encrypted secrets with which the account's servers may sign: the present secret and, for some time
// after a rotation, the previous one.
func (a *Account) GoalSecrets(now time.Time) (sealed [][]byte) {
	if len(a.Row.GoalSecret) > 0 {
		sealed = append(sealed, a.Row.GoalSecret)
	}
	if len(a.Row.OldGoalSecret) > 0 && a.acceptsOldSecret(now) {
		sealed = append(sealed, a.Row.OldGoalSecret)
	}
	return sealed
}

func (a *Account) acceptsOldSecret(now time.Time) bool {
	return a.Row.OldGoalSecretUntil != nil && now.Before(*a.Row.OldGoalSecretUntil)
}

// AccountOfSiteKey returns the account of a public site key, or nil if no account has the key.
func (s *Snapshot) AccountOfSiteKey(key string) *Account {
	a, _ := s.siteKeys.get(key)
	return a
}

// AccountOfGoalSecret returns the account whose servers report goals with a secret, or nil if the secret is not valid now. It
// looks up the secret's hash, so that the time it takes reveals nothing about the secret.
func (s *Snapshot) AccountOfGoalSecret(secret string, now time.Time) *Account {
	hash := sha256.Sum256([]byte(secret))
	a, ok := s.goalKeys.get(hash)
	if !ok || !bytes.Equal(hash[:], a.Row.GoalSecretHash) && !a.acceptsOldSecret(now) {
		return nil
	}
	return a
}

// Site is a site of an account.
type Site struct{ Row store.RoutingSite }

func (b *Builder) site(row *store.RoutingSite, _ *Site) *Site { return &Site{*row} }

func (t *Site) row() store.RoutingRow { return &t.Row }
func (t *Site) key() uuid.UUID        { return t.Row.ID }
func (t *Site) link(s *Snapshot)      { insert(&s.siteLists, t.Row.AccountID, t) }
func (t *Site) unlink(s *Snapshot)    { removeFromList(&s.siteLists, t.Row.AccountID, t) }

// Goal is a goal of a site.
type Goal struct{ Row store.RoutingGoal }

func (b *Builder) goal(row *store.RoutingGoal, _ *Goal) *Goal { return &Goal{*row} }

func (g *Goal) row() store.RoutingRow { return &g.Row }
func (g *Goal) key() uuid.UUID        { return g.Row.ID }
func (g *Goal) link(s *Snapshot)      { insert(&s.goalLists, g.Row.SiteID, g) }
func (g *Goal) unlink(s *Snapshot)    { removeFromList(&s.goalLists, g.Row.SiteID, g) }

type keyed interface {
	comparable
	key() uuid.UUID
}

// insert replaces the list of k by a copy that also has v. Lists are ordered by id, and so by age.
func insert[K comparable, V keyed](lists *shards[K, []V], k K, v V) {
	list, _ := lists.get(k)
	at, _ := slices.BinarySearchFunc(list, v, func(a, b V) int {
		x, y := a.key(), b.key()
		return bytes.Compare(x[:], y[:])
	})
	lists.put(k, slices.Insert(slices.Clone(list), at, v))
}

// removeFromList replaces the list of k by a copy without v.
func removeFromList[K comparable, V keyed](lists *shards[K, []V], k K, v V) {
	list, _ := lists.get(k)
	if list = slices.DeleteFunc(slices.Clone(list), func(o V) bool { return o == v }); len(list) > 0 {
		lists.put(k, list)
		return
	}
	lists.remove(k)
}

// Site returns a site, active or not, or nil if it does not exist.
func (s *Snapshot) Site(id uuid.UUID) *Site { return find[*Site](s, sites, id) }

// SiteOf returns the site to which the events of a page belong: the active site that has the page's host. If several active sites have
// the host, it returns the site with the longest domain. If only inactive sites have the host, it returns nil. If no site has the host,
// it returns the account's first active site, or nil if the account has no active site.
func (s *Snapshot) SiteOf(account uuid.UUID, host string) *Site {
	var first, found *Site
	isInactive := false // an inactive site has the host
	list, _ := s.siteLists.get(account)
	for _, t := range list {
		switch has := t.Row.Has(host); {
		case !t.Row.IsActive:
			isInactive = isInactive || has
		case has && (found == nil || len(t.Row.Domain) > len(found.Row.Domain)):
			found = t
		case first == nil:
			first = t
		}
	}
	if found != nil || isInactive {
		return found
	}
	return first
}

// SiteOfGoal returns the account's first active site that has an active goal with the key, or nil.
func (s *Snapshot) SiteOfGoal(account uuid.UUID, key string) *Site {
	list, _ := s.siteLists.get(account)
	for _, t := range list {
		goals, _ := s.goalLists.get(t.Row.ID)
		if t.Row.IsActive && slices.ContainsFunc(goals, func(g *Goal) bool { return g.Row.IsActive && g.Row.Key == key }) {
			return t
		}
	}
	return nil
}

// GoalsOf returns the goals of a site.
func (s *Snapshot) GoalsOf(site uuid.UUID) []models.GoalTerms {
	list, _ := s.goalLists.get(site)
	return db.Map(list, func(g *Goal) models.GoalTerms { return g.Row.GoalTerms })
}
