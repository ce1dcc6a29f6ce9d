import { CircleCheck, CircleX, Info, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useRef } from 'react'
import { classNames } from './class-names.ts'
import { isFocusInDialogOrMenu } from './escape.ts'
import { IconButton } from './icon-button.tsx'
import { type SystemToast, systemToasts } from './toast.tsx'
import { type QueuedToast, useToastQueue } from './toast-queue.ts'
import { useToastPlacement } from './use-free-place.ts'

const variants = {
  default: { icon: Info, rail: 'border-l-line-2', text: 'text-2' },
  destructive: { icon: CircleX, rail: 'border-l-critical', text: 'text-critical' },
  success: { icon: CircleCheck, rail: 'border-l-ok', text: 'text-ok' },
}

const cornerClasses =
  'fixed right-0 bottom-0 z-50 flex w-full flex-col gap-2 p-4 outline-none max-lg:bottom-[calc(64px+env(safe-area-inset-bottom))] md:max-w-[420px] lg:pr-10 lg:pb-10 lg:pl-1 phone:[:root:has([data-scroll-lock])_&]:top-0 phone:[:root:has([data-scroll-lock])_&]:bottom-auto'

/**
 * Mount once. Toasts last 5 s; swipe right dismisses, F8 moves focus to them. On phones they move
 * to the top while a dialog is open, because dialogs are at the bottom.
 */
export function SystemToasts() {
  const { shown } = useToastQueue(systemToasts)
  const region = useRef<HTMLOListElement>(null)
  useToastPlacement(region, shown)
  return (
    <Radix.Provider duration={5000} swipeDirection="right" swipeThreshold={50}>
      {shown.map((entry) => (
        <SystemToastItem key={entry.key} entry={entry} />
      ))}
      <Radix.Viewport ref={region} data-system-toasts className={cornerClasses} />
    </Radix.Provider>
  )
}

function SystemToastItem({ entry }: { entry: QueuedToast<SystemToast> }) {
  const isEscapeForLayer = useRef(false)
  const { title, description, variant = 'default', action } = entry.item
  const { icon: Icon, rail, text } = variants[variant]
  return (
    <Radix.Root
      open={entry.open}
      // If a dialog or menu has the focus, Escape must close it and not the toast. Preventing the
      // event would make the dialog or menu ignore it too, so only record that the toast must stay
      // open.
      onEscapeKeyDown={() => {
        isEscapeForLayer.current = isFocusInDialogOrMenu()
      }}
      onOpenChange={(open) => {
        if (!open && !isEscapeForLayer.current) systemToasts.close(entry.key)
        isEscapeForLayer.current = false
      }}
      type={variant === 'destructive' ? 'foreground' : 'background'}
      className={classNames('toast flex gap-3 border-l-2 px-4 py-3', rail)}
    >
      <Icon aria-hidden size={16} strokeWidth={2.25} className={classNames('mt-0.5 shrink-0', text)} />
      <div className="min-w-0 flex-1">
        <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
        {description !== undefined && (
          <Radix.Description className="text-base wrap-anywhere text-2">{description}</Radix.Description>
        )}
        {action}
      </div>
      <Radix.Close asChild>
        <IconButton icon={X} label="Hide message" size="sm" />
      </Radix.Close>
    </Radix.Root>
  )
}
