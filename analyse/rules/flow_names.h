/* flow_names.h: operator classes by name. Shared by flow.c and flow_op.c only. */
#ifndef FH_RULES_FLOW_NAMES_H
#define FH_RULES_FLOW_NAMES_H

#include "analyse/rules/flow.h"

/* The class of a method called `name` on something that nothing is known of, and of an attribute
 * of an object called as a function (`self.act(x)`); OTHER when the name does not say it. */
fh_flow_class fh_flow_class_of_method(fh_text name);
fh_flow_class fh_flow_class_of_attribute(fh_text name);

/* The class that a class or function of the program has by its own name: QuickGELU, T5LayerNorm,
 * gelu_new. */
fh_flow_class fh_flow_class_of_own(fh_text name);

#endif
