import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { closeOnEscape } from './escape.ts'
import { useFocusReturn } from './focus-return.ts'
import { IconButton } from './icon-button.tsx'

export type DialogProps = {
  /** Default: true, for dialogs that are rendered only while they are open. */
  open?: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** Shown below the title in text-2. */
  description?: ReactNode
  /** Shown beside the title: a badge. */
  aside?: ReactNode
  /** Buttons at the bottom, separated by a line. */
  footer?: ReactNode
  /** 408 or 640 px wide; on phones full width at the bottom of the screen. */
  size?: 'md' | 'lg'
  /**
   * Ignores Escape and outside clicks, and disables the close button, so that a running action is
   * not lost.
   */
  locked?: boolean
  /**
   * The dialog contains text that closing would discard: text that the user has typed, or a link
   * that is shown only once. Ignores Escape and outside clicks, which can be accidental. The close
   * button still works.
   */
  hasUnsavedText?: boolean
  children: ReactNode
}

/**
 * A modal dialog. The backdrop is our own element: Radix's overlay inserts a style tag at run time,
 * which the content security policy blocks. `data-scroll-lock` disables page scrolling instead.
 */
export function Dialog(props: DialogProps) {
  const { open = true, onOpenChange, title, description, aside, footer, size = 'md', children } = props
  const { locked = false, hasUnsavedText = false } = props
  const focusReturn = useFocusReturn()
  const mustStayOpen = locked || hasUnsavedText
  const keepOpen = (event: Event) => {
    if (mustStayOpen) event.preventDefault()
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div
          data-scroll-lock
          className="fixed inset-0 z-40 grid grid-cols-[minmax(0,1fr)] animate-fade place-items-center overflow-y-auto bg-scrim p-6 phone:place-items-end phone:p-0"
        >
          <Radix.Content
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
            {...focusReturn}
            onEscapeKeyDown={keepOpen}
            onKeyDown={closeOnEscape(() => !mustStayOpen && onOpenChange(false))}
            onInteractOutside={keepOpen}
            className={classNames(
              'relative flex w-full animate-rise flex-col rounded-float border border-line-2 bg-ink-1 shadow-float outline-none phone:max-h-[92dvh]',
              size === 'md' ? 'max-w-[408px] phone:max-w-none' : 'max-w-[640px] phone:max-w-none',
            )}
          >
            <div className="flex min-h-15 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line-1 py-3 pr-14 pl-5">
              {/* As wide as its text, so that a long title moves `aside` to the next line. */}
              <div className="min-w-0 flex-auto">
                <Radix.Title className="text-h2 wrap-anywhere">{title}</Radix.Title>
                {description !== undefined && (
                  <Radix.Description className="text-base wrap-anywhere text-2">{description}</Radix.Description>
                )}
              </div>
              {aside}
            </div>
            <div className="min-h-0 flex-1 p-5 phone:overflow-y-auto">{children}</div>
            {footer !== undefined && (
              <div className="sticky -bottom-6 z-1 flex shrink-0 flex-wrap items-center justify-end gap-2 rounded-b-float border-t border-line-1 bg-ink-1 px-5 py-3 phone:bottom-0">
                {footer}
              </div>
            )}
            {/* Last in focus order, so that initial focus is on the content, not the close
                button. */}
            <div className="absolute top-3.5 right-3">
              <Radix.Close asChild disabled={locked}>
                <IconButton icon={X} label="Close" />
              </Radix.Close>
            </div>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}
