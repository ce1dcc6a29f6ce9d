import { zodResolver } from '@hookform/resolvers/zod'
import { supportCategories } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'
import { useForm } from 'react-hook-form'
import { call, sentenceOf } from '../../api.ts'
import { siteTexts } from '../../texts/site.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { useToastPlace } from '../../ui/use-toast-place.ts'
import { categoryLabels, emptySupportForm, type SupportForm as FormValues, supportForm } from './support-message.ts'

const texts = siteTexts.supportForm

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
      toast({ title: texts.messageSent, description: message, variant: 'success' })
      reset()
    } catch (error) {
      const description = sentenceOf(error, texts.couldNotBeSent)
      toast({ title: texts.error, description, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(send)}>
      {/* Disabled in the prerendered page, because hydration would discard the input. */}
      <fieldset disabled={!isHydrated} className="grid gap-5 sm:grid-cols-2">
        <TextField {...register('name')} label={texts.name} autoComplete="name" error={errors.name?.message} />
        <TextField
          {...register('email')}
          label={texts.email}
          type="email"
          autoComplete="email"
          error={errors.email?.message}
          hint={texts.weAnswerToThisAddress}
        />
        <TextField {...register('subject')} label={texts.subject} autoComplete="off" error={errors.subject?.message} />
        <SelectField
          {...register('category')}
          label={texts.category}
          aside={texts.optional}
          error={errors.category?.message}
        >
          <option value="">{texts.chooseACategory}</option>
          {supportCategories.map((category) => (
            <option key={category} value={category}>
              {categoryLabels[category]}
            </option>
          ))}
        </SelectField>
        <TextareaField
          {...register('message')}
          label={texts.message}
          rows={8}
          error={errors.message?.message}
          className="sm:col-span-2"
        />
        <div className="flex flex-wrap items-center gap-4 sm:col-span-2">
          <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
            {isSubmitting ? texts.sending : texts.sendMessage}
          </Button>
          <p className="text-base text-2">{texts.neverWritePasswordsOrKeys}</p>
        </div>
        <noscript className="text-body sm:col-span-2">{texts.formNeedsJavascript}</noscript>
      </fieldset>
    </form>
  )
}

const neverChanges = () => () => {}
const isInBrowser = () => true
const isPrerendered = () => false
