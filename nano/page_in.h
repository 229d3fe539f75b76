/* Pages of an object that was loaded. */
#ifndef NANO_PAGE_IN_H
#define NANO_PAGE_IN_H

/* Touch all of them, those that can be written to by writing, so that its code meets no page fault when it is executed
 * first. Executes nothing of it. `object`: a handle of dlopen. */
void nano_page_in(void *object);

#endif
