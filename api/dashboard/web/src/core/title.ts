// The heading of a screen whose name is unknown until its record has been loaded.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

export type Heading = { name: string; above?: { name: string; path: string }; beside?: ComponentChildren }
export const heading = signal<Heading | null>(null)

// useHeading sets the heading while the screen is shown. `causes` are the values that the heading shows in addition to its name.
export function useHeading(shown: Heading | null, ...causes: unknown[]) {
  useEffect(() => {
    heading.value = shown
    // eslint-disable-next-line react-hooks/exhaustive-deps -- causes stand for what the heading shows next to its name
  }, [shown?.name, shown?.above?.path, ...causes])
  useEffect(
    () => () => {
      heading.value = null
    },
    [],
  )
}
