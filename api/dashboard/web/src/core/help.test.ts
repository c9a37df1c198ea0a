import { helpOf } from './help.ts'
import { equal, test } from '../testing.ts'

test('the path of a screen gives its page of help', () => {
  for (const [path, page] of [
    ['/app', 'overview'],
    ['/app/reports', 'reports'],
    ['/app/campaigns/new', 'campaigns'],
    ['/app/campaigns/1/flow', 'flow'],
    ['/app/campaigns/1/link', 'link'],
    ['/app/campaigns/1/figures', 'campaigns'],
    ['/app/sources/1/difference', 'sources'],
    ['/app/oauth', 'integrations'],
    ['/app/more', 'index'],
  ])
    equal(helpOf(path!), page)
})
