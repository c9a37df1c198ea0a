import { equal, test } from '../testing.ts'
import { groupingOf, placementOf } from './grouping.ts'

test('a report of a campaign begins with its placements, or else with its countries', () => {
  equal(placementOf({ sub1: 'zoneid', sub2: 'bannerid' }), 'sub1')
  equal(placementOf({ sub10: 'site', sub2: 'widget_id', sub1: 'creative' }), 'sub2')
  equal(groupingOf({ sub1: 'creative', sub2: 'zone' }, ''), 'sub2')
  equal(groupingOf({ sub1: 'creative' }, ''), 'country,device_type')
})

test('a report of a campaign is grouped as the last report was, if the campaign has the sub-parameters of that grouping', () => {
  equal(groupingOf({ sub1: 'zoneid' }, 'offer_id,country'), 'offer_id,country')
  equal(groupingOf({ sub1: 'zoneid', sub2: 'bannerid' }, 'sub2,country'), 'sub2,country')
  equal(groupingOf({ sub1: 'zoneid' }, 'sub2'), 'sub1')
  equal(groupingOf({}, 'sub2'), 'country,device_type')
})
