import { zodResolver } from '@hookform/resolvers/zod'
import { supportCategories } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'
import { useForm } from 'react-hook-form'
import { call, sentenceOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { useToastPlace } from '../../ui/use-toast-place.ts'
import { categoryLabels, emptySupportForm, type SupportForm as FormValues, supportForm } from './support-message.ts'

/** Sends a message to the operator. The form is cleared only after the server has accepted it. */
export function SupportForm() {
  useToastPlace('support')
  const { register, handleSubmit, reset, formState } = useForm<FormValues>({
    resolver: zodResolver(supportForm),
    defaultValues: emptySupportForm,
  })
  const { errors, isSubmitting } = formState
  const isHydrated = useSyncExternalStore(neverChanges, isInBrowser, isPrerendered)

  async function send({ category, ...written }: FormValues) {
    try {
      const { message } = await call('contactSupport', { body: { ...written, ...(category && { category }) } })
      toast({ title: 'Message Sent', description: message, variant: 'success' })
      reset()
    } catch (error) {
      const description = sentenceOf(error, 'Your message could not be sent. Please try again.')
      toast({ title: 'Error', description, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(send)}>
      {/* Disabled in the prerendered page, because hydration would discard the input. */}
      <fieldset disabled={!isHydrated} className="grid gap-5 sm:grid-cols-2">
        <TextField {...register('name')} label="Name" autoComplete="name" error={errors.name?.message} />
        <TextField
          {...register('email')}
          label="Email"
          type="email"
          autoComplete="email"
          error={errors.email?.message}
          hint="We answer to this address."
        />
        <TextField {...register('subject')} label="Subject" autoComplete="off" error={errors.subject?.message} />
        <SelectField {...register('category')} label="Category" aside="Optional" error={errors.category?.message}>
          <option value="">Choose a category</option>
          {supportCategories.map((category) => (
            <option key={category} value={category}>
              {categoryLabels[category]}
            </option>
          ))}
        </SelectField>
        <TextareaField
          {...register('message')}
          label="Message"
          rows={8}
          error={errors.message?.message}
          className="sm:col-span-2"
        />
        <div className="flex flex-wrap items-center gap-4 sm:col-span-2">
          <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
            {isSubmitting ? 'Sending…' : 'Send message'}
          </Button>
          <p className="text-base text-2">Never write passwords or keys into it.</p>
        </div>
        <noscript className="text-body sm:col-span-2">The form needs JavaScript.</noscript>
      </fieldset>
    </form>
  )
}

const neverChanges = () => () => {}
const isInBrowser = () => true
const isPrerendered = () => false
