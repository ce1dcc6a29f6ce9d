import { type FormEventHandler, type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FieldError } from './field.tsx'

interface FormDialogProps {
  title: string
  description: ReactNode
  /** Labels of the submit button, idle and while submitting. */
  submitLabels: { send: string; sending: string }
  /** Label of the close button, if "Cancel" could be misread. */
  cancelLabel?: string
  isSending: boolean
  /** Set it for a form with a long text, see `Dialog`. */
  hasUnsavedText?: boolean
  /** Error of the whole form. Fields show their own errors. */
  error?: string | undefined
  variant?: 'primary' | 'secondary' | 'danger'
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
  children: ReactNode
}

/**
 * A dialog with a form and its submit and close buttons. It cannot be closed while the form is
 * being submitted, because closing it would not cancel the request, and would hide the result.
 */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    description,
    submitLabels,
    cancelLabel = 'Cancel',
    isSending,
    hasUnsavedText = false,
    error,
    variant = 'primary',
    onSubmit,
    onClose,
    children,
  } = props
  const formId = useId()
  return (
    <Dialog
      onOpenChange={onClose}
      title={title}
      description={description}
      locked={isSending}
      hasUnsavedText={hasUnsavedText}
      footer={
        <>
          <Button size="lg" variant="ghost" disabled={isSending} onClick={onClose}>
            {cancelLabel}
          </Button>
          <Button type="submit" form={formId} size="lg" variant={variant} busy={isSending}>
            {isSending ? submitLabels.sending : submitLabels.send}
          </Button>
        </>
      }
    >
      <form id={formId} method="post" noValidate onSubmit={onSubmit} className="grid gap-5">
        {children}
        {error !== undefined && <FieldError>{error}</FieldError>}
      </form>
    </Dialog>
  )
}
