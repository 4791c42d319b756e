! Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
! What the programs of this folder have in common, whatever their interface to MPI is.
module checks
  implicit none
contains
  !> Ends the process, and so the job, where something is not as it should be.
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', 'wrong: ', what
    error stop 1
  end subroutine
end module
