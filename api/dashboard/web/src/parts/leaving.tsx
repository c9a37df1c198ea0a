import { t } from '../core/text.ts'
import { leaving } from '../core/unsaved.ts'
import { Ask } from './sheet.tsx'

// Leaving asks whether edits that are not saved may be lost.
export const Leaving = () => {
  const go = leaving.value
  return go ? (
    <Ask
      title={t.parts.leaveTitle}
      text={t.parts.leaveText}
      go={t.parts.discard}
      back={t.parts.stay}
      danger
      on={go}
      close={() => {
        leaving.value = null
      }}
    />
  ) : null
}
