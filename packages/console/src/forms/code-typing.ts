import { EditorView } from '@codemirror/view';

/**
 * Text that is typed over a selection goes in as a change of the document. Left to itself, Chromium replaces the selection and copies its
 * colour to what is typed by a `style` attribute, which the policy of the page refuses.
 */
export const typedOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { state } = view;
    const { main } = state.selection;
    if (inputType !== 'insertText' || !data || isComposing || main.empty || state.readOnly) return false;
    event.preventDefault();
    const insert = () =>
      state.update(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const isTaken = state
      .facet(EditorView.inputHandler)
      .some((take) => take(view, main.from, main.to, data, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});
