import { count } from '../core/format.ts'
import { t } from '../core/text.ts'

// LogFoot shows how many rows of a log are loaded, and the keys that move in the log.
export const LogFoot = ({ loaded, end }: { loaded: number; end: boolean }) =>
  loaded > 0 ? (
    <div class="statusbar">
      <span>{t.clicks.loaded(count(loaded))}</span>
      {!end && <span class="wide">{t.clicks.more}</span>}
      <span class="grow" />
      <span class="wide">
        <kbd>J</kbd> <kbd>K</kbd> {t.reports.move}
      </span>
      <span class="wide">
        <kbd>O</kbd> {t.palette.open}
      </span>
    </div>
  ) : null
